#!/bin/bash
# SPDX-License-Identifier: MIT
# shellcheck source-path=SCRIPTDIR/../.. source=guest-lib.sh
source "$LIB"

# zram takes swapped-out pages: what a cgroup wrote to a tmpfs goes there when reclaimed.

setup_zram 128M
grep -q zram0 /proc/swaps

cat >"$OUT/fill" <<'END'
#!/bin/bash
yes "some text that lz4 makes small" | head -c 32M >/dev/shm/fill
sleep infinity
END
chmod +x "$OUT/fill"
systemd-run --quiet --unit=filler "$OUT/fill"
unit=/system.slice/filler.service
filled() { (($(stat_of "$unit" shmem) >= 33554432)); }
wait_for 20 filled

echo '16M swappiness=200' >"$CG$unit/memory.reclaim"
(($(cg_read "$unit" memory.swap.current) >= 15000000))
read -r original compressed _ </sys/block/zram0/mm_stat
echo "zram: $original bytes in $compressed"
((compressed < original / 4))

systemctl stop filler
rm /dev/shm/fill
swapoff /dev/zram0

#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Installed, upgraded, removed, purged: it runs when it was switched on and not otherwise, keeps what
# the administrator has changed, and in the end files, units and cgroups are as before.
# shellcheck source-path=SCRIPTDIR source=../guest-lib.sh
source "$LIB"
# shellcheck source=../agent/agent-lib.sh
source "$IN/agent-lib.sh"

conffile=/etc/fgreclaim/fgreclaimd.conf
hot=pkg-hot.service

# The image leaves documentation out; here it is part of what comes and has to go.
install() {
	dpkg --path-include='/usr/share/doc/*' --path-include='/usr/share/man/*' \
		--force-confdef -i "$IN/$1.deb" </dev/null
}
is_running() { systemctl is-active --quiet fgreclaimd; }
# Of dpkg's states.
package_is() { [[ $(dpkg-query -W -f '${db:Status-Status}' fgreclaim) == "$1" ]] || fail "not $1"; }

# Every file with the time of its last change, but what dpkg, the journal and systemd keep of any
# installation: their databases and logs, and what they note of a unit that runs.
files() {
	find / -xdev \( -path /var/lib/dpkg -o -path /var/log -o -path /tmp -o -path /var/tmp \) -prune \
		-o -type d -printf '%p/ %m %U:%G\n' -o -printf '%p %m %U:%G %s %T@ %l\n' |
		grep -v '^/var/lib/systemd/catalog/database '
	find /run -path /run/harness -prune -o -path /run/log -prune -o -path /run/out -prune \
		-o -path "$state" -prune -o -path '/run/systemd/units/*' -prune -o -printf '%p %m %U:%G\n'
	journalctl --list-catalog | cut -d' ' -f1
}
units() { systemctl list-unit-files --no-pager --no-legend; systemctl --failed --no-pager --no-legend; }
limits() {
	find "$CG" -path '*/harness.slice' -prune -o \( -name 'memory.m*' -o -name 'memory.low' -o \
		-name 'memory.high' -o -name 'memory.*.max' -o -name '*.weight' \) -print0 |
		xargs -0 grep -sH .
	grep -H . /sys/kernel/mm/lru_gen/{enabled,min_ttl_ms} /proc/sys/vm/{swappiness,overcommit_memory}
}
look() { mkdir -p "$state/$1"; files | sort >"$state/$1/files"; units >"$state/$1/units"; limits | sort >"$state/$1/limits"; }

# A unit for Protect=auto, which has a drop-in of the administrator's; and what systemd makes for the
# first unit with a sandbox.
cat >/run/systemd/system/$hot <<'END'
[Service]
Slice=pkg.slice
ExecStart=/bin/bash -c 'printf -v held %%6000000s; sleep infinity; :'
MemoryLow=1M
END
systemctl daemon-reload
systemctl set-property --runtime $hot CPUWeight=200
systemctl start $hot
systemd-run --quiet --wait -p PrivateTmp=yes true
look before

progress "install"
install first
package_is installed
"$IN/installed"

progress "upgrade of one that does not run"
install second
! is_running || fail "an upgrade has started it"
systemctl is-enabled --quiet fgreclaimd && fail "an upgrade has enabled it"
grep -qx '# second' $conffile || fail "the new configuration file is not there"

progress "upgrade of one that runs, with a changed configuration"
echo '# the administrator was here' >>$conffile
configure 60-act <<-'END'
	[Agent]
	DryRun=no
	Interval=500ms
	[Class protected]
	Match=/pkg.slice
	Match=/pkg.slice/*
	Reclaim=none
	Protect=auto
END
systemctl enable fgreclaimd
systemctl start fgreclaimd
pid=$(main_pid)
install first
is_running || fail "an upgrade has ended it"
[[ $(main_pid) != "$pid" ]] || fail "what runs is not what was installed"
systemctl is-enabled --quiet fgreclaimd || fail "an upgrade has disabled it"
grep -qx '# the administrator was here' $conffile || fail "a changed configuration file is gone"
status_is 'dry run' && fail "the configuration is not in force: $(status_text)"
is_protected() { (($(systemctl show -P MemoryLow $hot) > 4 << 20)); }
wait_for 60 is_protected || fail "Protect=auto: $(status_text)"

progress "remove"
dpkg -r fgreclaim
package_is config-files
! is_running || fail "it outlives its removal"
grep -qx '# the administrator was here' $conffile || fail "a removal took the configuration"
[[ ! -e /usr/sbin/fgreclaimd && ! -d $CG/system.slice/fgreclaimd.service ]] || fail "it is still there"
[[ $(systemctl show -P MemoryLow $hot) == 1048576 ]] || fail "memory.low is left"

progress "purge"
dpkg -P fgreclaim
! dpkg-query -W fgreclaim 2>/dev/null || fail "dpkg still knows it"
systemctl daemon-reload
look after
diff -r "$state/before" "$state/after" || fail "something is not as before"

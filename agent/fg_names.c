/* SPDX-License-Identifier: MIT */
/*
 * Sources: kernel/kallsyms.c s_show(), a line "ADDRESS TYPE NAME" for each symbol of the kernel,
 * followed by those of modules with "\t[MODULE]"; addresses are zeros where kptr_restrict is set, the
 * names stay. struct btf_header in include/uapi/linux/btf.h: all names are in one section, each ended
 * with NUL, the first one empty.
 */
#include "fg_names.h"
#include "file.h"
#include "macro.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KALLSYMS "/proc/kallsyms"
/* Where fgreclaimd.service shows it: ProtectKernelTunables= has the first one empty. */
#define KALLSYMS_OF_UNIT "/dev/fgreclaim/kallsyms"
#define BTF              "/sys/kernel/btf/vmlinux"

/* The fast path itself, and a function of every MGLRU so far: a list without that one says nothing
 * of either. */
#define FAST_PATH "folio_inc_lru_refs"
#define WITNESS   "lru_gen_init_lruvec"

/* As found by file_look_for(): bit for bit. */
#define HAS_FAST_PATH 1
#define HAS_WITNESS   2

/* What kernels have is a few megabytes, and ten times as much with all symbols of all modules. */
#define READ_MOST (UINT64_C(64) << 20)

#define BTF_MAGIC 0xeB9F

struct btf_header {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t header_len;
	/* From the end of the header. */
	uint32_t types_offset;
	uint32_t types_len;
	uint32_t names_offset;
	uint32_t names_len;
};

static int look_at_symbols(const char *root, const char *place)
{
	static const struct file_needle needles[] = {
		FILE_NEEDLE(" " FAST_PATH "\n"),
		FILE_NEEDLE(" " WITNESS "\n"),
	};

	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root, place);
	return file_look_for(path, 0, READ_MOST, needles, ARRAY_SIZE(needles));
}

static int look_at_btf(const char *root)
{
	static const struct file_needle needles[] = {
		FILE_NEEDLE("\0" FAST_PATH "\0"),
		FILE_NEEDLE("\0" WITNESS "\0"),
	};
	_cleanup_close_ int fd = -1;
	struct btf_header header;
	char path[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s" BTF, root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = pread(fd, &header, sizeof(header), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(header) || header.magic != BTF_MAGIC ||
	    header.header_len < sizeof(header) || header.names_len > READ_MOST)
		return -EBADMSG;
	return file_look_for(path, (uint64_t)header.header_len + header.names_offset,
			     header.names_len, needles, ARRAY_SIZE(needles));
}

static struct fg_evidence judge(const char *place, int found)
{
	struct fg_evidence evidence = {.says = FG_UNDECIDED};

	if (found < 0) {
		snprintf(evidence.why, sizeof(evidence.why), "%s: %s", place, strerror(-found));
	} else if (found & HAS_FAST_PATH) {
		evidence.says = FG_YES;
		snprintf(evidence.why, sizeof(evidence.why), "%s holds " FAST_PATH, place);
	} else if (found & HAS_WITNESS) {
		evidence.says = FG_NO;
		snprintf(evidence.why, sizeof(evidence.why), "%s holds no " FAST_PATH, place);
	} else {
		snprintf(evidence.why, sizeof(evidence.why), "%s holds no name of MGLRU", place);
	}
	return evidence;
}

void fg_names_look(const char *root, struct fg_evidence ret[_FG_SOURCE_MAX])
{
	ret[FG_SYMBOL] = judge(KALLSYMS, look_at_symbols(root, KALLSYMS));
	if (ret[FG_SYMBOL].says == FG_UNDECIDED) {
		int found = look_at_symbols(root, KALLSYMS_OF_UNIT);

		if (found > 0)
			ret[FG_SYMBOL] = judge(KALLSYMS, found);
	}
	ret[FG_BTF] = (struct fg_evidence){.says = FG_UNDECIDED, .why = "not asked: symbols tell"};
	if (ret[FG_SYMBOL].says != FG_UNDECIDED)
		return;
	ret[FG_BTF] = judge(BTF, look_at_btf(root));
}

enum fg_verdict fg_conclude(const struct fg_evidence evidence[_FG_SOURCE_MAX])
{
	enum fg_verdict verdict = FG_UNDECIDED;

	for (enum fg_source s = 0; s < _FG_SOURCE_MAX; s++) {
		if (evidence[s].says == FG_UNDECIDED || evidence[s].says == verdict)
			continue;
		if (verdict != FG_UNDECIDED)
			return FG_UNDECIDED;
		verdict = evidence[s].says;
	}
	return verdict;
}

const char *fg_source_to_string(enum fg_source source)
{
	static const char *const names[_FG_SOURCE_MAX] = {
		[FG_SYMBOL] = "symbol",
		[FG_BTF] = "btf",
		[FG_BEHAVIOUR] = "behaviour",
	};

	return names[source];
}

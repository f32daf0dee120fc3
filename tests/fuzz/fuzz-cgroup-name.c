/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a cgroup's path, and as a unit's name. All pieces lie within the path; what is shown
 * is printable and the same in a smaller buffer, but for its end; a unit's path leads back to it.
 */
#include "cgroup_name.h"
#include "macro.h"

#include <errno.h>

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#define ELLIPSIS "\xe2\x80\xa6"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_within(struct name_part part, const char *text, size_t len)
{
	REQUIRE(part.p);
	/* What is empty may be anywhere. */
	if (part.len > 0)
		REQUIRE(part.p >= text && part.len <= len &&
			(size_t)(part.p - text) <= len - part.len);
}

static void check_display(const struct cgroup_name *name)
{
	static char whole[1 << 16];
	char part[40];
	size_t len = cgroup_name_display(name, whole, sizeof(whole));

	REQUIRE(len < sizeof(whole) && whole[len] == '\0' && strlen(whole) == len && len > 0);
	for (size_t i = 0; i < len; i++)
		REQUIRE((uint8_t)whole[i] >= 0x20 && whole[i] != 0x7f);
	for (size_t size = 4; size <= sizeof(part); size++) {
		size_t cut = cgroup_name_display(name, part, size);

		REQUIRE(cut < size && part[cut] == '\0');
		if (len < size)
			REQUIRE(strcmp(part, whole) == 0);
		else
			REQUIRE(cut >= 3 && memcmp(part, whole, cut - 3) == 0 &&
				strcmp(part + cut - 3, ELLIPSIS) == 0);
	}
}

static void check_path(const char *text, size_t len)
{
	struct cgroup_name name;

	cgroup_name_parse(text, len, &name);
	check_within(name.unit, text, len);
	check_within(name.slice, text, len);
	check_within(name.manager, text, len);
	check_within(name.id, text, len);
	check_within(name.path, text, len);
	check_within(name.below, text, len);
	REQUIRE(cgroup_kind_to_string(name.kind) && cgroup_runtime_to_string(name.runtime) &&
		pod_qos_to_string(name.qos));
	REQUIRE((name.kind == CGROUP_ROOT) == (name.path.len == 0));
	REQUIRE(name.unit.len == 0 || unit_name_is_valid(name.unit));
	REQUIRE(name.slice.len == 0 || unit_name_is_slice(name.slice));
	REQUIRE(name.manager.len == 0 || (name.unit.len > 0 && name.uid != UNIT_NO_UID));
	REQUIRE(name.kind < CGROUP_CONTAINER || name.id.len > 0);
	REQUIRE(name.kind != CGROUP_POD || name.pod[0]);
	check_display(&name);
}

/* The unit's name is the first of two lines, its slice the second. */
static void check_unit(struct name_part text, uint32_t uid)
{
	static char path[1 << 16];
	struct name_part slice = text, unit = name_part_take_until(&slice, '\n');
	struct cgroup_name name;
	int r = unit_name_to_path(unit, slice, uid, path, sizeof(path));

	REQUIRE(r > 0 || r == -EINVAL);
	if (r < 0)
		return;
	REQUIRE(unit_name_is_valid(unit) && path[0] == '/' && strlen(path) == (size_t)r);
	REQUIRE(unit_name_to_path(unit, slice, uid, path, (size_t)r) == -ENAMETOOLONG);
	REQUIRE(unit_name_to_path(unit, slice, uid, path, (size_t)r + 1) == r);
	if (name_part_equals(unit, "-.slice"))
		return;
	cgroup_name_parse(path, (size_t)r, &name);
	REQUIRE(name.unit.len == unit.len && memcmp(name.unit.p, unit.p, unit.len) == 0);
	REQUIRE(uid == UNIT_NO_UID || (name.uid == uid && name.manager.len > 0));
}

static void check_escapes(struct name_part text)
{
	static char buf[1 << 16];
	int r = cgroup_escape(text, buf, sizeof(buf));

	REQUIRE(r > 0 || r == -EINVAL);
	if (r > 0) {
		struct name_part back = cgroup_unescape(name_part_text(buf));

		REQUIRE(back.len == text.len && memcmp(back.p, text.p, back.len) == 0);
		/* One "_" is enough for the kernel, and for us to know it. */
		REQUIRE(!cgroup_needs_escape(text) || buf[0] == '_');
	}
	for (int as_path = 0; as_path < 2; as_path++) {
		r = unit_name_unescape(text, as_path, buf, sizeof(buf));
		REQUIRE(r == -EINVAL || (r >= 0 && (size_t)r <= text.len + 1));
		REQUIRE(r < 0 ||
			unit_name_unescape(text, as_path, buf, (size_t)r) == -ENAMETOOLONG);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* So long that all fits: an escape makes four bytes of one, a prefix is added. */
	size_t len = size < 8192 ? size : 8192;
	/* Its memory ends where it does. */
	_cleanup_free_ char *text = malloc(len ? len : 1);

	REQUIRE(text);
	if (len > 0)
		memcpy(text, data, len);
	check_path(text, len);
	check_unit(name_part_of(text, len), UNIT_NO_UID);
	check_unit(name_part_of(text, len), 1000);
	check_escapes(name_part_of(text, len));
	return 0;
}

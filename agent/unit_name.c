/* SPDX-License-Identifier: MIT */
/*
 * Names of systemd units and of their cgroups: see the header. Bytes are compared as ASCII,
 * whatever the locale.
 */
#include "unit_name.h"
#include "macro.h"

#include <errno.h>

/* Where a result goes. Once something did not fit, it stays so. */
struct out {
	char *buf;
	size_t size;
	size_t len;
	bool too_long;
};

static void out_part(struct out *out, struct name_part part)
{
	if (out->too_long || part.len >= out->size - out->len) {
		out->too_long = true;
		return;
	}
	memcpy(out->buf + out->len, part.p, part.len);
	out->len += part.len;
}

static void out_text(struct out *out, const char *s)
{
	out_part(out, name_part_text(s));
}

static void out_byte(struct out *out, char c)
{
	out_part(out, (struct name_part){&c, 1});
}

static struct name_part out_done(const struct out *out)
{
	return (struct name_part){out->buf, out->len};
}

static int out_finish(struct out *out)
{
	if (out->size == 0 || out->too_long || out->len > INT32_MAX)
		return -ENAMETOOLONG;
	out->buf[out->len] = '\0';
	return (int)out->len;
}

static bool is_unit_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr(":-_.\\@", c));
}

/* Cuts the type off; false when it is none with cgroups. */
static bool take_type(struct name_part *name)
{
	static const char *const types[] = {".service", ".scope", ".slice",
					    ".socket",  ".mount", ".swap"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (name_part_take_tail(name, types[i]))
			return true;
	return false;
}

/* The dashes of a slice part names: none may be empty. "-" alone is the root. */
static bool slice_stem_is_valid(struct name_part stem)
{
	if (name_part_equals(stem, "-"))
		return true;
	if (stem.p[0] == '-' || stem.p[stem.len - 1] == '-')
		return false;
	for (size_t i = 0; i < stem.len; i++)
		if (stem.p[i] == '@' || (stem.p[i] == '-' && stem.p[i + 1] == '-'))
			return false;
	return true;
}

bool unit_name_is_valid(struct name_part name)
{
	struct name_part stem = name;
	const char *at;

	if (name.len > UNIT_NAME_LEN_MAX || !take_type(&stem) || stem.len == 0)
		return false;
	for (size_t i = 0; i < stem.len; i++)
		if (!is_unit_byte(stem.p[i]))
			return false;
	/* Something before the first "@", and behind it: else it is a template. */
	at = memchr(stem.p, '@', stem.len);
	if (at && (at == stem.p || at == stem.p + stem.len - 1))
		return false;
	return !name_part_take_tail(&name, ".slice") || slice_stem_is_valid(stem);
}

bool unit_name_is_slice(struct name_part name)
{
	struct name_part stem = name;

	return name_part_take_tail(&stem, ".slice") && unit_name_is_valid(name);
}

/* --- cgroup names */

bool cgroup_needs_escape(struct name_part name)
{
	/* Files of cgroup v1 that have no controller's prefix. */
	static const char *const files[] = {"notify_on_release", "release_agent", "tasks"};
	/* What systemd 252 calls a controller, its BPF ones included; and the core's files. */
	static const char *const prefixes[] = {
		"cpu.",          "cpuacct.",
		"cpuset.",       "io.",
		"blkio.",        "memory.",
		"devices.",      "pids.",
		"bpf-firewall.", "bpf-devices.",
		"bpf-foreign.",  "bpf-socket-bind.",
		"cgroup.",       "bpf-restrict-network-interfaces.",
	};

	if (name.len == 0 || name.p[0] == '_' || name.p[0] == '.')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (name_part_equals(name, files[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct name_part rest = name;

		if (name_part_take_head(&rest, prefixes[i]))
			return true;
	}
	return false;
}

/* False when it could be no file's name. */
static bool put_escaped(struct out *out, struct name_part name)
{
	bool escape = cgroup_needs_escape(name);

	if (name.len + escape > UNIT_NAME_LEN_MAX || memchr(name.p, '/', name.len) ||
	    memchr(name.p, '\0', name.len))
		return false;
	if (escape)
		out_text(out, "_");
	out_part(out, name);
	return true;
}

int cgroup_escape(struct name_part name, char *buf, size_t size)
{
	struct out out = {buf, size, 0, false};

	return put_escaped(&out, name) ? out_finish(&out) : -EINVAL;
}

struct name_part cgroup_unescape(struct name_part name)
{
	name_part_take_head(&name, "_");
	return name;
}

/* --- unit to path */

static bool put_cgroup(struct out *out, struct name_part name)
{
	out_text(out, "/");
	return put_escaped(out, name);
}

/* A slice below all of its parents. */
static bool put_slice(struct out *out, struct name_part slice)
{
	struct name_part stem = slice;

	if (name_part_equals(slice, "-.slice"))
		return true;
	name_part_take_tail(&stem, ".slice");
	for (size_t i = 0; i < stem.len && !out->too_long; i++) {
		char name[UNIT_NAME_LEN_MAX + 1];
		struct out parent = {name, sizeof(name), 0, false};

		if (stem.p[i] != '-')
			continue;
		out_part(&parent, (struct name_part){stem.p, i});
		out_text(&parent, ".slice");
		if (!put_cgroup(out, out_done(&parent)))
			return false;
	}
	return put_cgroup(out, slice);
}

/* The name of the template's slice: a dash in the template's name must not become a parent. */
static void put_template(struct out *out, struct name_part template)
{
	for (size_t i = 0; i < template.len; i++) {
		char c = template.p[i];

		if (c == '-')
			out_text(out, "\\x2d");
		else if (c == '\\')
			out_text(out, "\\x5c");
		else if (c == '.' && i == 0)
			out_text(out, "\\x2e");
		else
			out_byte(out, c);
	}
}

/* systemd's choice, but for four units of its own that say another. */
static void put_default_slice(struct out *out, struct name_part unit, bool of_user)
{
	struct name_part instance = unit;
	struct name_part template = name_part_take_until(&instance, '@');

	if (name_part_equals(unit, "init.scope")) {
		out_text(out, "-.slice");
		return;
	}
	if (instance.len == 0) {
		out_text(out, of_user ? "app.slice" : "system.slice");
		return;
	}
	if (!of_user && name_part_equals(template, "systemd-nspawn")) {
		out_text(out, "machine.slice");
		return;
	}
	if (!of_user && (name_part_equals(template, "user") ||
			 name_part_equals(template, "user-runtime-dir"))) {
		take_type(&instance);
		out_text(out, "user-");
		out_part(out, instance);
	} else {
		out_text(out, of_user ? "app-" : "system-");
		put_template(out, template);
	}
	out_text(out, ".slice");
}

/* The parent of a slice is in its name, so nothing else may be asked for. */
static bool is_parent(struct name_part slice, struct name_part parent)
{
	struct name_part stem = slice;

	name_part_take_tail(&stem, ".slice");
	name_part_take_tail(&parent, ".slice");
	for (size_t i = stem.len; i > 0; i--)
		if (stem.p[i - 1] == '-')
			return parent.len == i - 1 && memcmp(stem.p, parent.p, i - 1) == 0;
	return name_part_equals(parent, "-");
}

static void put_manager(struct out *out, uint32_t uid)
{
	char path[sizeof("/user.slice/user-4294967295.slice/user@4294967295.service")];

	snprintf(path, sizeof(path), "/user.slice/user-%u.slice/user@%u.service", uid, uid);
	out_text(out, path);
}

int unit_name_to_path(struct name_part unit, struct name_part slice, uint32_t uid, char *buf,
		      size_t size)
{
	char name[UNIT_NAME_LEN_MAX + 1];
	struct out chosen = {name, sizeof(name), 0, false};
	struct out out = {buf, size, 0, false};

	if (!unit_name_is_valid(unit) || (slice.len > 0 && !unit_name_is_slice(slice)))
		return -EINVAL;
	if (uid != UNIT_NO_UID)
		put_manager(&out, uid);
	if (unit_name_is_slice(unit)) {
		if ((slice.len > 0 && !is_parent(unit, slice)) || !put_slice(&out, unit))
			return -EINVAL;
	} else {
		if (slice.len == 0) {
			put_default_slice(&chosen, unit, uid != UNIT_NO_UID);
			slice = out_done(&chosen);
		}
		if (chosen.too_long || !unit_name_is_slice(slice) || !put_slice(&out, slice) ||
		    !put_cgroup(&out, unit))
			return -EINVAL;
	}
	if (out.len == 0)
		out_text(&out, "/");
	return out_finish(&out);
}

/* --- what is displayed */

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Takes "\xHH" off; -1 when there is none. */
static int take_hex(struct name_part *name)
{
	int high, low;

	if (name->len < 4 || name->p[0] != '\\' || name->p[1] != 'x')
		return -1;
	high = hex_value(name->p[2]);
	low = hex_value(name->p[3]);
	if (high < 0 || low < 0)
		return -1;
	*name = name_part_skip(*name, 4);
	return high * 16 + low;
}

/* As a path had to be to be escaped: no name in it is empty, "." or "..". */
static bool is_normalized(struct name_part path)
{
	path = name_part_skip(path, 1);
	for (;;) {
		struct name_part rest = path, name = name_part_take_until(&rest, '/');

		if (name.len == 0 || name_part_equals(name, ".") || name_part_equals(name, ".."))
			return false;
		if (name.len == path.len)
			return true;
		path = rest;
	}
}

int unit_name_unescape(struct name_part name, bool as_path, char *buf, size_t size)
{
	struct out out = {buf, size, 0, false};
	bool root = as_path && name_part_equals(name, "-");

	if (as_path && !root)
		out_text(&out, "/");
	while (name.len > 0) {
		char c = name.p[0];
		int byte;

		if (c == '\\') {
			byte = take_hex(&name);
			if (byte <= 0)
				return -EINVAL;
			out_byte(&out, (char)byte);
			continue;
		}
		out_byte(&out, c == '-' ? '/' : c);
		name = name_part_skip(name, 1);
	}
	if (as_path && !root && !out.too_long && !is_normalized(out_done(&out)))
		return -EINVAL;
	return out_finish(&out);
}

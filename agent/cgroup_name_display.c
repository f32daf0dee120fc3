/* SPDX-License-Identifier: MIT */
/*
 * A short name of a cgroup for people: see cgroup_name.h. Paths hold whatever bytes their makers
 * chose, and the result goes to terminals, so each character is looked at.
 */
#include "cgroup_name.h"
#include "macro.h"

#define ELLIPSIS     "\xe2\x80\xa6"
#define SHORT_ID_LEN 12

/* len is at a character's end; so is fits, the last one with room for the ellipsis behind it. */
struct line {
	char *buf;
	size_t size;
	size_t len;
	size_t fits;
	bool cut;
};

/* One character, whole or not at all. */
static void put_char(struct line *line, const char *bytes, size_t n)
{
	const size_t ellipsis = sizeof(ELLIPSIS) - 1;

	if (line->cut || line->len + n >= line->size) {
		line->cut = true;
		return;
	}
	memcpy(line->buf + line->len, bytes, n);
	line->len += n;
	if (line->len + ellipsis < line->size)
		line->fits = line->len;
}

static void put_text(struct line *line, const char *s)
{
	for (; *s; s++)
		put_char(line, s, 1);
}

static void put_escape(struct line *line, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char text[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};

	put_char(line, text, sizeof(text));
}

/* Controls, and the characters that turn or end a line, or cannot be seen: U+2028..202E,
 * U+2066..2069, U+200B..200F, U+FEFF. */
static bool is_printable(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfeff)
		return false;
	return !(c >= 0x200b && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069);
}

/* The length of the UTF-8 character at the start, if it is one and printable; or 0. */
static size_t character_len(struct name_part text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint8_t lead = (uint8_t)text.p[0];
	size_t len = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	uint32_t c = len == 1 ? lead : lead & (0x7fu >> len);

	if (len == 0 || lead >= 0xf8 || len > text.len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		uint8_t byte = (uint8_t)text.p[i];

		if ((byte & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (byte & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || !is_printable(c))
		return 0;
	return len;
}

static void put_part(struct line *line, struct name_part text)
{
	while (text.len > 0 && !line->cut) {
		size_t len = character_len(text);

		if (len > 0) {
			put_char(line, text.p, len);
		} else {
			put_escape(line, (uint8_t)text.p[0]);
			len = 1;
		}
		text = name_part_skip(text, len);
	}
}

/* "\x2d" undone where there is one, all else as it stands. */
static void put_unescaped(struct line *line, struct name_part text)
{
	/* An escape is longer than its byte and the end that is put behind it. */
	char plain[UNIT_NAME_LEN_MAX];
	size_t len = 0;

	/* A file's name is never longer. */
	if (text.len > sizeof(plain)) {
		put_part(line, text);
		return;
	}
	while (text.len > 0) {
		struct name_part escape = name_part_of(text.p, text.len < 4 ? text.len : 4);

		if (text.p[0] != '\\' || unit_name_unescape(escape, false, plain + len, 2) != 1) {
			plain[len] = text.p[0];
			escape.len = 1;
		}
		len++;
		text = name_part_skip(text, escape.len);
	}
	put_part(line, name_part_of(plain, len));
}

/* Those named after a path are shown with it. */
static void put_unit(struct line *line, struct name_part unit)
{
	static const char *const types[] = {"mount", "swap"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct name_part stem = unit;
		char path[UNIT_NAME_LEN_MAX + 1];
		int len;

		if (!name_part_take_tail(&stem, types[i]) || !name_part_take_tail(&stem, "."))
			continue;
		len = unit_name_unescape(stem, true, path, sizeof(path));
		if (len < 0)
			continue;
		put_text(line, types[i]);
		put_text(line, " ");
		put_part(line, name_part_of(path, (size_t)len));
		return;
	}
	put_unescaped(line, unit);
}

static void put_id(struct line *line, struct name_part id)
{
	put_part(line, (struct name_part){id.p, id.len < SHORT_ID_LEN ? id.len : SHORT_ID_LEN});
}

static void put_qos(struct line *line, enum pod_qos qos)
{
	if (qos == POD_QOS_NONE)
		return;
	put_text(line, " (");
	put_text(line, pod_qos_to_string(qos));
	put_text(line, ")");
}

static void put_pod(struct line *line, const struct cgroup_name *name)
{
	struct name_part pod = name_part_text(name->pod);

	put_text(line, "pod ");
	if (pod.len == CONTAINER_ID_LEN)
		put_id(line, pod);
	else
		put_part(line, pod);
	put_qos(line, name->qos);
}

static void put_container(struct line *line, const struct cgroup_name *name)
{
	if (name->pod[0]) {
		put_pod(line, name);
		put_text(line, " ");
	}
	put_text(line, name->pod[0] || name->runtime == RUNTIME_UNKNOWN
			       ? "container"
			       : cgroup_runtime_to_string(name->runtime));
	put_text(line, " ");
	if (name->runtime == RUNTIME_LXC)
		put_part(line, name->id);
	else
		put_id(line, name->id);
	if (name->kind == CGROUP_MONITOR)
		put_text(line, " monitor");
}

static void put_inmost(struct line *line, const struct cgroup_name *name)
{
	switch (name->kind) {
	case CGROUP_SLICE:
	case CGROUP_UNIT:
	case CGROUP_SESSION:
		put_unit(line, name->unit);
		break;
	case CGROUP_MACHINE:
		put_text(line, "machine ");
		put_unescaped(line, name->id);
		break;
	case CGROUP_PODS:
		put_text(line, "pods");
		put_qos(line, name->qos);
		break;
	case CGROUP_POD:
		put_pod(line, name);
		break;
	case CGROUP_CONTAINER:
	case CGROUP_MONITOR:
		put_container(line, name);
		break;
	case CGROUP_ROOT:
	case CGROUP_OTHER:
	case _CGROUP_KIND_MAX:
		put_text(line, "/");
		put_part(line, name->path);
		return;
	}
	if (name->below.len > 0) {
		put_text(line, "/");
		put_part(line, name->below);
	}
}

size_t cgroup_name_display(const struct cgroup_name *name, char *buf, size_t size)
{
	struct line line = {.buf = buf, .size = size};

	if (size == 0)
		return 0;
	if (name->manager.len > 0 || name->kind == CGROUP_SESSION) {
		char user[sizeof("user 4294967295: ")];

		snprintf(user, sizeof(user), "user %u: ", name->uid);
		put_text(&line, user);
	}
	put_inmost(&line, name);
	if (line.cut) {
		line.len = line.fits;
		/* Without room for it nothing is left. */
		if (size >= sizeof(ELLIPSIS)) {
			memcpy(buf + line.len, ELLIPSIS, sizeof(ELLIPSIS) - 1);
			line.len += sizeof(ELLIPSIS) - 1;
		}
	}
	buf[line.len] = '\0';
	return line.len;
}

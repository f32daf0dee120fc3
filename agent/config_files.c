/* SPDX-License-Identifier: MIT */
/*
 * Discovery of the configuration files, and the line reader between them and inih.
 *
 * Sources: systemd's man/standard-conf.xml for places and precedence; ini.c of inih 55, whose lines
 * are cut at 199 bytes, continued by leading white space and split at ":" too.
 */
#include "config_files.h"

#include "macro.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define CONFIG_NAME    "fgreclaimd.conf"
#define DROP_IN_SUFFIX ".conf"
#define BLANKS         " \t"

DEFINE_CLEANUP(DIR *, closedir)

/* Former ones count before latter ones. */
static const char *const config_dirs[] = {
	"/etc/fgreclaim",
	"/run/fgreclaim",
	"/usr/local/lib/fgreclaim",
	"/usr/lib/fgreclaim",
};

void config_files_done(struct config_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct config_files){0};
}

static int report(struct config_error *error, int r, const char *path)
{
	if (path)
		snprintf(error->text, sizeof(error->text), "%s: %s", path, strerror(-r));
	else
		snprintf(error->text, sizeof(error->text), "%s", strerror(-r));
	return r;
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* Takes path over, in case of success only. */
static int files_add(struct config_files *files, char *path)
{
	char **paths = reallocarray(files->paths, files->n + 1, sizeof(*paths));

	if (!paths)
		return -ENOMEM;
	files->paths = paths;
	files->paths[files->n++] = path;
	return 0;
}

static bool files_have(const struct config_files *files, const char *name)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(base_name(files->paths[i]), name) == 0)
			return true;
	return false;
}

static bool is_drop_in(const char *name)
{
	size_t len = strlen(name), suffix = strlen(DROP_IN_SUFFIX);

	return name[0] != '.' && len > suffix && strcmp(name + len - suffix, DROP_IN_SUFFIX) == 0;
}

/* Adds the drop-ins of one directory whose names are not there yet. */
static int drop_ins_add(struct config_files *files, const char *path, struct config_error *error)
{
	_cleanup_(closedir_ptr) DIR *dir = opendir(path);
	int r;

	if (!dir)
		return errno == ENOENT ? 0 : report(error, -errno, path);
	for (;;) {
		_cleanup_free_ char *file = NULL;
		struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return errno ? report(error, -errno, path) : 0;
		if (!is_drop_in(entry->d_name) || files_have(files, entry->d_name))
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			file = NULL;
			return report(error, -ENOMEM, NULL);
		}
		r = files_add(files, file);
		if (r < 0)
			return report(error, r, NULL);
		file = NULL;
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(base_name(*(char *const *)a), base_name(*(char *const *)b));
}

/* The first main file that is there. A link that leads nowhere is not there. */
static int main_file_add(struct config_files *files, const char *root, int root_len,
			 struct config_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		_cleanup_free_ char *path = NULL;
		int r;

		if (asprintf(&path, "%.*s%s/" CONFIG_NAME, root_len, root, config_dirs[i]) < 0) {
			path = NULL;
			return report(error, -ENOMEM, NULL);
		}
		if (access(path, F_OK) < 0) {
			if (errno != ENOENT)
				return report(error, -errno, path);
			continue;
		}
		r = files_add(files, path);
		if (r < 0)
			return report(error, r, NULL);
		path = NULL;
		return 0;
	}
	return 0;
}

int config_files_find(const char *root, struct config_files *ret, struct config_error *error)
{
	_cleanup_(config_files_done) struct config_files files = {0};
	_cleanup_(config_files_done) struct config_files drop_ins = {0};
	int root_len = (int)strlen(root);
	int r;

	while (root_len > 0 && root[root_len - 1] == '/')
		root_len--;
	r = main_file_add(&files, root, root_len, error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%.*s%s/" CONFIG_NAME ".d", root_len, root, config_dirs[i]) <
		    0) {
			path = NULL;
			return report(error, -ENOMEM, NULL);
		}
		r = drop_ins_add(&drop_ins, path, error);
		if (r < 0)
			return r;
	}
	if (drop_ins.n > 0)
		qsort(drop_ins.paths, drop_ins.n, sizeof(*drop_ins.paths), compare_names);
	for (size_t i = 0; i < drop_ins.n; i++) {
		r = files_add(&files, drop_ins.paths[i]);
		if (r < 0)
			return report(error, r, NULL);
		drop_ins.paths[i] = NULL;
	}
	*ret = files;
	files = (struct config_files){0};
	return 0;
}

int config_reader_open(struct config_reader *ret, const char *path)
{
	/* A FIFO without a writer would make open() wait. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	static const char mark[3] = "\xef\xbb\xbf";
	char head[3];
	struct stat st;
	FILE *file;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)))
		return -ENOTSUP;
	if (pread(fd, head, 3, 0) == 3 && memcmp(head, mark, 3) == 0 && lseek(fd, 3, SEEK_SET) < 0)
		return -errno;
	file = fdopen(fd, "re");
	if (!file)
		return -errno;
	TAKE_FD(fd);
	*ret = (struct config_reader){.file = file};
	return 0;
}

void config_reader_close(struct config_reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	reader->file = NULL;
}

static bool is_comment(const char *line)
{
	line += strspn(line, BLANKS);
	return *line == '#' || *line == ';';
}

/* Says what is wrong with a line that is no comment. */
static const char *line_check(const char *line)
{
	const char *start = line + strspn(line, BLANKS);
	const char *p;

	if (!*start)
		return NULL;
	if (start > line)
		return "white space at the start: a value cannot go on in the next line";
	for (p = strpbrk(line, BLANKS); p; p = strpbrk(p + 1, BLANKS))
		if (p[1] == ';' || p[1] == '#')
			return "\";\" or \"#\" after white space: a comment needs a line of its "
			       "own, "
			       "and a glob can say \"?\" for the character";
	if (*line == '[') {
		p = strchr(line, ']');
		if (!p)
			return "\"]\" is missing";
		if (p[1 + strspn(p + 1, BLANKS)])
			return "text after \"]\"";
		return NULL;
	}
	p = strpbrk(line, "=:");
	if (!p || *p != '=' || p == line)
		return "neither [Section] nor Key=value";
	return NULL;
}

/* Reads one line into reader->text, without its end; *ret_len is the length of the whole of it. */
static bool line_read(struct config_reader *reader, size_t *ret_len)
{
	size_t len = 0;
	bool carriage_return = false;
	int c;

	reader->line++;
	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (carriage_return || (c < ' ' && c != '\t' && c != '\r') || c == 0x7f) {
			reader->fault = c ? "a control character" : "a NUL byte";
			return false;
		}
		carriage_return = c == '\r';
		if (carriage_return)
			continue;
		if (len < CONFIG_LINE_MAX)
			reader->text[len] = (char)c;
		len++;
	}
	if (ferror(reader->file)) {
		reader->r = -errno;
		return false;
	}
	if (c == EOF && len == 0 && !carriage_return)
		return false;
	reader->text[len < CONFIG_LINE_MAX ? len : CONFIG_LINE_MAX] = '\0';
	*ret_len = len;
	return true;
}

char *config_reader_next(char *buf, int size, void *userdata)
{
	struct config_reader *reader = userdata;
	size_t len;

	if (reader->fault || reader->r < 0 || !line_read(reader, &len))
		return NULL;
	if (is_comment(reader->text)) {
		len = 0;
		reader->text[0] = '\0';
	}
	if (len > CONFIG_LINE_MAX || (int)len + 2 > size)
		reader->fault = "longer than 198 bytes";
	else
		reader->fault = line_check(reader->text);
	if (reader->fault)
		return NULL;
	memcpy(buf, reader->text, len);
	memcpy(buf + len, "\n", 2);
	return buf;
}

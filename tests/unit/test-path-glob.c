/* SPDX-License-Identifier: MIT */
/*
 * Globs: a corpus with names as systemd and container runtimes make them, the plain recursive
 * definition against the iterative matcher on many small inputs, and the time for hostile patterns.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "path_glob.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct glob_case {
	bool fits;
	const char *pattern;
	const char *path;
};

#define CRI "/system.slice/containerd.service/kubepods-besteffort.slice:cri-containerd:abc"
#define APP                                                        \
	"/user.slice/user-1000.slice/user@1000.service/app.slice/" \
	"app-gnome-firefox\\x2dw-2504.scope"

static const struct glob_case cases[] = {
	{true, "/system.slice/mongod.service", "/system.slice/mongod.service"},
	{false, "/system.slice/mongod.service", "/system.slice/mongod.service/sub"},
	{false, "/system.slice/mongod.service/sub", "/system.slice/mongod.service"},
	{false, "/system.slice/mongod.service", "/system.slice/mongodXservice"},
	{true, "/system.slice/postgresql@*.service", "/system.slice/postgresql@15-main.service"},
	{true, "/system.slice/*.service", "/system.slice/.service"},
	{false, "/system.slice/*.service", "/system.slice/a/b.service"},
	{true, "/system.slice/**.service", "/system.slice/a/b.service"},
	{true, "/system.slice/**", "/system.slice/a/b"},
	{true, "/system.slice/**", "/system.slice/"},
	{false, "/system.slice/**", "/system.slice"},
	{true, "/system.slice**", "/system.slice"},
	{true, "/**", "/"},
	{true, "/**", CRI},
	{true, "**", ""},
	{false, "", "/"},
	{true, "", ""},
	{true, CRI, CRI},
	{true, "/system.slice/containerd.service/kubepods-*:cri-containerd:*", CRI},
	{true, "/**:cri-containerd:*", CRI},
	{false, "/*:cri-containerd:*", CRI},
	{true, APP, APP},
	{true, "/user.slice/**/app-*\\x2dw-[0-9]*.scope", APP},
	{false, "/user.slice/**/app-*x2dw-????\\.scope", APP},
	{true, "/system.slice/system-getty.slice/getty@tty?.service",
	 "/system.slice/system-getty.slice/getty@tty1.service"},
	{false, "/getty@tty?.service", "/getty@tty.service"},
	{false, "/a?b", "/a/b"},
	{false, "/a[/]b", "/a/b"},
	{false, "/a[!x]b", "/a/b"},
	{false, "/a[.-0]b", "/a/b"},
	{true, "/a[!x]b", "/ayb"},
	{false, "/a[^x]b", "/axb"},
	{true, "/[]x]", "/]"},
	{true, "/[!]x]", "/y"},
	{false, "/[!]x]", "/]"},
	{true, "/[[]", "/["},
	{true, "/[a-]", "/-"},
	{true, "/[a-c-]", "/b"},
	{true, "/[abc", "/[abc"},
	{true, "/[z-a]", "/[z-a]"},
	{true, "/*/b/*", "/a/b/c"},
	{false, "/*/b/*", "/a/b/c/d"},
	{true, "/***b", "/a/b"},
	{true, "/docker-*.scope", "/docker-0123456789abcdef.scope"},
	{true, "/caf\xc3\xa9.service", "/caf\xc3\xa9.service"},
	{true, "/caf?.service", "/caf\xc3\xa9.service"},
	{false, "/caf??.service", "/caf\xc3\xa9.service"},
	{true, "/caf[\xc3\xa0-\xc3\xbf].service", "/caf\xc3\xa9.service"},
	{true, "/?", "/\xe6\x97\xa5"},
	{true, "/?", "/\xf0\x9f\x90\x98"},
	{true, "/?", "/\xe9"},
	{true, "/??", "/\xe6\x97"},
	{true, "/[\xe9]", "/\xe9"},
	{false, "/\xe9", "/\xc3\xa9"},
};

static void test_corpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (path_glob_match(cases[i].pattern, cases[i].path) != cases[i].fits)
			fail_msg("\"%s\" must %sfit \"%s\"", cases[i].pattern,
				 cases[i].fits ? "" : "not ", cases[i].path);
}

/* The definition itself, without sets: exponential, and plain. */
static bool reference(const char *pattern, const char *path)
{
	if (!*pattern)
		return !*path;
	if (pattern[0] == '*' && pattern[1] == '*')
		return reference(pattern + 2, path) || (*path && reference(pattern, path + 1));
	if (pattern[0] == '*')
		return reference(pattern + 1, path) ||
		       (*path && *path != '/' && reference(pattern, path + 1));
	if (pattern[0] == '?')
		return *path && *path != '/' && reference(pattern + 1, path + 1);
	return *pattern == *path && reference(pattern + 1, path + 1);
}

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void random_text(uint64_t *seed, const char *letters, size_t longest, char *ret)
{
	size_t len = random_next(seed) % (longest + 1);

	for (size_t i = 0; i < len; i++)
		ret[i] = letters[random_next(seed) % strlen(letters)];
	ret[len] = '\0';
}

static void test_reference(void **state)
{
	uint64_t seed = 20240229;
	size_t fits = 0;

	(void)state;
	for (size_t i = 0; i < 400000; i++) {
		char pattern[16], path[16];
		bool wanted;

		random_text(&seed, "aab/***?", 9, pattern);
		random_text(&seed, "aab/", 10, path);
		wanted = reference(pattern, path);
		fits += wanted;
		if (path_glob_match(pattern, path) != wanted)
			fail_msg("\"%s\" must %sfit \"%s\"", pattern, wanted ? "" : "not ", path);
	}
	/* Else the inputs would show little. */
	assert_true(fits > 20000);
}

/* Every pattern of up to six and every path of up to six, over the letters that matter. */
static void enumerate(const char *letters, size_t index, char *ret)
{
	for (; index > 0; index = (index - 1) / strlen(letters))
		*ret++ = letters[(index - 1) % strlen(letters)];
	*ret = '\0';
}

static void test_exhaustive(void **state)
{
	(void)state;
	for (size_t i = 0; i < 1365; i++) {
		for (size_t j = 0; j < 364; j++) {
			char pattern[16], path[16];

			enumerate("*ab/", i, pattern);
			enumerate("ab/", j, path);
			if (path_glob_match(pattern, path) != reference(pattern, path))
				fail_msg("\"%s\" and \"%s\"", pattern, path);
		}
	}
}

static void test_hostile(void **state)
{
	static const char *const units[] = {"**a", "*a", "**?", "**/*a", "*[a-b]"};
	static char path[4096], pattern[256];
	clock_t start = clock();

	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	for (size_t i = 0; i < 2; i++) {
		for (size_t u = 0; u < ARRAY_SIZE(units); u++) {
			strcpy(pattern, "/");
			while (strlen(pattern) < 190)
				strcat(pattern, units[u]);
			strcat(pattern, "c");
			path[0] = '/';
			assert_false(path_glob_match(pattern, path));
		}
		for (size_t at = 0; at < sizeof(path) - 1; at += 2)
			path[at] = '/';
	}
	/* Milliseconds in truth; exponential would be the age of the universe. */
	assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
}

static void test_check(void **state)
{
	static const char *const good[] = {"/",    "/**",  "/a.slice/b*", "/[[]",
					   "/[]]", "/a:b", CRI,           APP};
	static const struct {
		const char *pattern, *why;
	} bad[] = {
		{"", "starts with \"/\""},   {"a.slice", "starts with \"/\""},
		{"**", "starts with \"/\""}, {"unit:mongod.service", "starts with \"/\""},
		{"/a/", "ends in"},          {"/a//b", "contains \"//\""},
		{"/[a", "not closed"},       {"/[a/]", "not closed"},
		{"/[]", "not closed"},       {"/[!]", "not closed"},
		{"/[z-a]", "backward"},      {"/[a][", "not closed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_null(path_glob_check(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *why = path_glob_check(bad[i].pattern);

		if (!why || !strstr(why, bad[i].why))
			fail_msg("\"%s\": %s", bad[i].pattern, why ? why : "passed");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),     cmocka_unit_test(test_reference),
		cmocka_unit_test(test_exhaustive), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

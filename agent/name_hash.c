/* SPDX-License-Identifier: MIT */
/*
 * Names that stand for themselves only.
 */
#include "name_hash.h"
#include "macro.h"

#include <inttypes.h>
#include <string.h>

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], unsigned n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

uint64_t name_hash(const struct name_hash_key *key, const void *bytes, size_t len)
{
	/* "somepseudorandomlygeneratedbytes", as the paper has it */
	uint64_t v[4] = {
		key->k[0] ^ UINT64_C(0x736f6d6570736575),
		key->k[1] ^ UINT64_C(0x646f72616e646f6d),
		key->k[0] ^ UINT64_C(0x6c7967656e657261),
		key->k[1] ^ UINT64_C(0x7465646279746573),
	};
	const unsigned char *byte = bytes;
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++) {
		word |= (uint64_t)byte[i] << (8 * (i % 8));
		if (i % 8 == 7) {
			sip_word(v, word);
			word = 0;
		}
	}
	sip_word(v, word | (uint64_t)len << 56);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

char *name_hash_path(const struct name_hash_key *key, const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len > 0)
			fprintf(f, "%016" PRIx64, name_hash(key, path, len));
		path += len;
		if (*path == '/')
			fputc(*path++, f);
	}
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

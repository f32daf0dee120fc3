/* SPDX-License-Identifier: MIT */
/*
 * hold MIB: fills so much anonymous memory, half of each page random and half zero so that zram has
 * neither nothing nor everything to do, and never looks at it again.
 */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20;
	uint64_t *words =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t random = 1;

	if (words == MAP_FAILED)
		err(1, "%zu bytes", bytes);
	/* Pages of their own: a huge one would be cold or hot as a whole. */
	madvise(words, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes / sizeof(*words); i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
		if (i % 512 < 256)
			words[i] = random;
	}
	for (;;)
		pause();
}

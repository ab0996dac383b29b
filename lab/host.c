/* SPDX-License-Identifier: MIT */
/*
 * host.c - see host.h. Everything comes from /proc, /sys and uname(2), read once a
 * record; what can't be read is left unknown, never guessed.
 */
#include "lab/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* The text behind "@key ... :" in a file of such lines, "" when there is none. */
static void read_field(const char *path, const char *key, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[512];

	out[0] = '\0';
	while (file && !out[0] && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, strlen(key)))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
	}
	if (file)
		fclose(file);
}

static void read_first_line(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(out, (int)size, file))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	if (file)
		fclose(file);
}

void host_read(struct host_info *info)
{
	struct utsname name;
	char text[64];

	memset(info, 0, sizeof(*info));
	read_field("/proc/cpuinfo", "model name", info->cpu_model, sizeof(info->cpu_model));
	read_first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", info->governor,
			sizeof(info->governor));
	read_first_line("/sys/devices/system/cpu/smt/active", text, sizeof(text));
	info->smt = text[0] ? atoi(text) : -1;
	if (getloadavg(info->load, 3) != 3)
		info->load[0] = info->load[1] = info->load[2] = -1;
	read_field("/proc/meminfo", "MemTotal", text, sizeof(text));
	info->memory_bytes = text[0] ? atoll(text) * 1024 : -1;
	if (uname(&name))
		return;
	snprintf(info->kernel, sizeof(info->kernel), "%s %s", name.sysname, name.release);
	snprintf(info->architecture, sizeof(info->architecture), "%s", name.machine);
}

u64 host_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

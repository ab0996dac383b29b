/* SPDX-License-Identifier: MIT */
/*
 * mm.c - birth and death of address spaces, and the machine's share of sim.
 */
#include "sim/internal.h"

enum { COMMIT_BATCH_LEAST_PER_CPU = 2, COMMIT_BATCH_MEMORY = 256 };

void sim_config_default(struct sim_config *config)
{
	*config = (struct sim_config){
		.task_size = 0x7ffffffff000,
		.mmap_base = 0x7ffff7fff000,
		.mmap_min_addr = 4096,
		.hint_min_addr = 65536,
		.stack_guard_gap = 256,
		.max_map_count = 65530,
		.ram_pages = 6171023,
		.start_brk = 0x555555571000,
		.brk = 0x555555571000,
		.rlimit_as = ~0ull,
		.rlimit_data = ~0ull,
		.rlimit_stack = 8ull << 20,
		.rlimit_memlock = 8ull << 20,
		.fault_around_pages = 16,
	};
}

int sim_boot(struct message *msg)
{
	struct sim_system *system = kzalloc(sizeof(*system), GFP_KERNEL);
	struct sim_config defaults;
	u64 cpus = machine_desc()->nr_cpus;

	if (!system)
		return message_set(msg, -ENOMEM, "the simulated machine has no memory left");
	sim_config_default(&defaults);
	spin_lock_init(&system->commit_lock, LOCK_COMMIT);
	system->commit_percpu = percpu_alloc(sizeof(s64), sizeof(s64));
	system->commit_batch = (s64)max(cpus * COMMIT_BATCH_LEAST_PER_CPU,
					min(defaults.ram_pages / cpus / COMMIT_BATCH_MEMORY,
					    (u64)INT32_MAX));
	machine_set_slot(SLOT_SIM, system);
	if (!sim_types_create(system))
		return message_set(msg, -ENOMEM, "the simulated machine has no memory left");
	return 0;
}

static s64 committed_pages(const struct sim_system *system)
{
	s64 sum = system->committed;

	for (unsigned cpu = 0; cpu < nr_cpus(); cpu++)
		sum += *(s64 *)per_cpu_ptr(system->commit_percpu, cpu);
	return sum;
}

u64 sim_shutdown(void)
{
	struct sim_system *system = sim_system();
	s64 committed = committed_pages(system);
	u64 alive = system->nr_mms + system->nr_files + system->nr_inodes +
		    (u64)(committed < 0 ? -committed : committed);

	alive += sim_types_destroy(system);
	percpu_free(system->commit_percpu, sizeof(s64));
	machine_set_slot(SLOT_SIM, NULL);
	kfree(system);
	return alive;
}

struct mm_struct *mm_alloc(const struct sim_config *config)
{
	struct mm_struct *mm = kmem_cache_alloc(sim_system()->mm_cache, GFP_KERNEL | __GFP_ZERO);

	if (!mm)
		return NULL;
	mm->pages = page_table_create();
	if (!mm->pages) {
		kmem_cache_free(sim_system()->mm_cache, mm);
		return NULL;
	}
	init_rwsem(&mm->mmap_lock, LOCK_MMAP_LOCK);
	spin_lock_init(&mm->page_table_lock, LOCK_PAGE_TABLE);
	mt_init_flags(&mm->mm_mt, MT_FLAGS_ALLOC_RANGE | MT_FLAGS_LOCK_EXTERN | MT_FLAGS_USE_RCU);
	mt_set_external_lock(&mm->mm_mt, &mm->mmap_lock);
	mm->config = *config;
	mm->brk = config->brk;
	atomic_add_return(&sim_system()->nr_mms, 1);
	return mm;
}

/*
 * A touched VMA of the start has an anon_vma of its own and all its pages: an
 * execve makes its VMAs one by one and shares none of them.
 */
static int touch_template(struct vm_area_struct *vma)
{
	int error = anon_vma_prepare_own(vma);

	for (u64 addr = vma->vm_start; !error && addr < vma->vm_end; addr += PAGE_SIZE)
		if (!page_table_set(vma->vm_mm->pages, addr, PAGE_ANON))
			error = -ENOMEM;
	return error;
}

static struct vm_area_struct *vma_of_template(struct mm_struct *mm, const struct vma_template *t)
{
	struct vm_area_struct *vma = vm_area_alloc(mm);

	if (!vma)
		return NULL;
	vma->vm_start = t->start;
	vma->vm_end = t->end;
	vma->vm_flags = t->flags;
	vma->vm_pgoff = t->file ? t->pgoff : t->start >> PAGE_SHIFT;
	vma->label = t->label;
	vma->vm_file = t->file;
	if (t->file)
		get_file(t->file);
	return vma;
}

int mm_add_vma(struct mm_struct *mm, const struct vma_template *template)
{
	s64 pages = (s64)((template->end - template->start) >> PAGE_SHIFT);
	struct vm_area_struct *vma = vma_of_template(mm, template);
	int error;

	if (!vma)
		return -ENOMEM;
	mmap_write_lock(mm);
	error = template->touched ? touch_template(vma) : 0;
	if (!error && (template->flags & VM_ACCOUNT))
		error = vm_enough_memory(mm, pages);
	if (!error) {
		error = vma_store_new(mm, vma);
		if (error && (template->flags & VM_ACCOUNT))
			vm_unacct_memory(pages);
	}
	if (error) {
		unlink_anon_vmas(vma);
		remove_vma(vma);
	} else {
		vm_stat_account(mm, template->flags, pages);
		mm->locked_vm += template->flags & VM_LOCKED ? (u64)pages : 0;
	}
	mmap_write_unlock(mm);
	return error;
}

/* Everything goes; nobody else refers to the address space any more. */
static void exit_mmap(struct mm_struct *mm)
{
	MA_STATE(mas, &mm->mm_mt, 0, 0);
	struct vm_area_struct *vma;
	s64 accounted = 0;

	mmap_read_lock(mm);
	page_table_clear(mm->pages, 0, mm->config.task_size);
	mmap_read_unlock(mm);
	mmap_write_lock(mm);
	mt_clear_in_rcu(&mm->mm_mt);
	unlink_vmas(&mm->mm_mt);
	for_each_vma(mas, vma) {
		if (xa_is_zero(vma))
			continue;
		if (vma->vm_flags & VM_ACCOUNT)
			accounted += (s64)vma_pages(vma);
		remove_vma(vma);
	}
	vm_unacct_memory(accounted);
	__mt_destroy(&mm->mm_mt);
	mmap_write_unlock(mm);
}

void mmput(struct mm_struct *mm)
{
	exit_mmap(mm);
	page_table_destroy(mm->pages);
	atomic_add_return(&sim_system()->nr_mms, -1ul);
	kmem_cache_free(sim_system()->mm_cache, mm);
}

long sys_setrlimit(struct mm_struct *mm, enum rlimit_resource which, u64 value)
{
	struct sim_config *config = &mm->config;

	switch (which) {
	case LIMIT_AS:
		config->rlimit_as = value;
		return 0;
	case LIMIT_DATA:
		config->rlimit_data = value;
		return 0;
	case LIMIT_STACK:
		config->rlimit_stack = value;
		return 0;
	case LIMIT_MEMLOCK:
		config->rlimit_memlock = value;
		return 0;
	}
	return -EINVAL;
}

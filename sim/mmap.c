/* SPDX-License-Identifier: MIT */
/*
 * mmap.c - making mappings. The order of the checks is that of Linux 6.18: which
 * of several errors a caller sees depends on it.
 */
#include "sim/cost.h"
#include "sim/internal.h"

struct map_request {
	struct mm_struct *mm;
	u64 addr, len; /* as resolved: page aligned */
	u64 vm_flags;
	u64 pgoff;
	struct file *file; /* NULL: anonymous, also while a shared object is not made yet */
	bool shared_anonymous;
};

/* Flags that exist in Linux and are not built here: refused by name, never skipped. */
const char *sim_unsupported(u64 flags)
{
	if (flags & ABI_MAP_HUGETLB)
		return "MAP_HUGETLB";
	if ((flags & ABI_MAP_TYPE) == ABI_MAP_DROPPABLE)
		return "MAP_DROPPABLE";
	return NULL;
}

/* ---- Flags ---- */

static u64 base_flags(const struct mm_struct *mm, u64 prot, u64 flags)
{
	u64 vm = mm->def_flags | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC;

	vm |= prot & PROT_BIT_READ ? VM_READ : 0;
	vm |= prot & PROT_BIT_WRITE ? VM_WRITE : 0;
	vm |= prot & PROT_BIT_EXEC ? VM_EXEC : 0;
	vm |= flags & ABI_MAP_GROWSDOWN ? VM_GROWSDOWN : 0;
	vm |= flags & ABI_MAP_LOCKED ? VM_LOCKED : 0;
	vm |= flags & ABI_MAP_STACK ? VM_NOHUGEPAGE : 0;
	return vm;
}

/* Where a file of this kind may end at most: memfd any positive offset, ext4 2^32-1 blocks. */
static bool offset_fits(const struct map_request *r)
{
	u64 most = r->file->inode->fs == FS_EXT4 ? 0xfffffffful << PAGE_SHIFT : INT64_MAX;

	if (r->file->inode->fs == FS_DIR)
		return true;
	return r->len <= most && r->pgoff <= (most - r->len) >> PAGE_SHIFT;
}

static int shared_file_flags(struct map_request *r, u64 prot)
{
	const struct file *file = r->file;

	if ((prot & PROT_BIT_WRITE) && !(file->mode & FMODE_WRITE))
		return -EACCES;
	r->vm_flags |= VM_SHARED | VM_MAYSHARE;
	if (!(file->mode & FMODE_WRITE))
		r->vm_flags &= ~(VM_MAYWRITE | VM_SHARED);
	return 0;
}

static int file_flags(struct map_request *r, u64 prot, u64 flags)
{
	const u64 known = ABI_MAP_TYPE | ABI_MAP_FIXED | ABI_MAP_32BIT | ABI_MAP_GROWSDOWN |
			  ABI_MAP_DENYWRITE | ABI_MAP_EXECUTABLE | ABI_MAP_LOCKED |
			  ABI_MAP_NORESERVE | ABI_MAP_POPULATE | ABI_MAP_NONBLOCK | ABI_MAP_STACK |
			  ABI_MAP_HUGETLB | ABI_MAP_FIXED_NOREPLACE | ABI_MAP_UNINITIALIZED;
	int error = 0;

	if (!offset_fits(r))
		return -EOVERFLOW;
	switch (flags & ABI_MAP_TYPE) {
	case ABI_MAP_SHARED_VALIDATE: /* no file system here knows MAP_SYNC */
		if (flags & ~known)
			return -EOPNOTSUPP;
		/* fallthrough */
	case ABI_MAP_SHARED:
		error = shared_file_flags(r, prot);
		break;
	case ABI_MAP_PRIVATE:
		break;
	default:
		return -EINVAL;
	}
	if (error)
		return error;
	if (!(r->file->mode & FMODE_READ))
		return -EACCES;
	if (r->file->inode->fs == FS_DIR)
		return -ENODEV;
	return flags & ABI_MAP_GROWSDOWN ? -EINVAL : 0;
}

static int anonymous_flags(struct map_request *r, u64 flags)
{
	switch (flags & ABI_MAP_TYPE) {
	case ABI_MAP_SHARED:
		if (flags & ABI_MAP_GROWSDOWN)
			return -EINVAL;
		r->pgoff = 0;
		r->vm_flags |= VM_SHARED | VM_MAYSHARE;
		r->shared_anonymous = true;
		return 0;
	case ABI_MAP_PRIVATE:
		r->pgoff = r->addr >> PAGE_SHIFT;
		return 0;
	default:
		return -EINVAL;
	}
}

static int lock_allowed(const struct mm_struct *mm, u64 vm_flags, u64 flags, u64 len)
{
	u64 limit = mm->config.rlimit_memlock;

	if ((flags & ABI_MAP_LOCKED) && !limit && !mm->config.cap_ipc_lock)
		return -EPERM;
	if (!(vm_flags & VM_LOCKED) || mm->config.cap_ipc_lock)
		return 0;
	return mm->locked_vm + (len >> PAGE_SHIFT) > limit >> PAGE_SHIFT ? -EAGAIN : 0;
}

/* ---- The mapping itself ---- */

/* The object takes the mapping's commit charge over and gives it back when it goes. */
static struct file *make_shared_object(const struct map_request *r)
{
	struct inode *inode = inode_create("/dev/zero (deleted)", FS_TMPFS, r->len);
	struct file *file;

	if (!inode)
		return NULL;
	inode_set_identity(inode, 0, 1, 0);
	file = file_open(inode, FMODE_READ | FMODE_WRITE);
	if (file && !(r->vm_flags & VM_NORESERVE))
		inode->charged_pages = r->len >> PAGE_SHIFT;
	inode_put(inode);
	return file;
}

static struct vm_area_struct *map_new_vma(struct map_request *r)
{
	struct vm_area_struct *vma = vm_area_alloc(r->mm);

	if (!vma)
		return NULL;
	vma->vm_start = r->addr;
	vma->vm_end = r->addr + r->len;
	vma->vm_flags = r->vm_flags;
	vma->vm_pgoff = r->pgoff;
	if (r->file)
		get_file(r->file);
	vma->vm_file = r->shared_anonymous ? make_shared_object(r) : r->file;
	if ((r->shared_anonymous && !vma->vm_file) || vma_store_new(r->mm, vma)) {
		if (r->shared_anonymous && vma->vm_file)
			vma->vm_file->inode->charged_pages = 0; /* the caller returns it */
		if (vma->vm_file)
			fput(vma->vm_file);
		vm_area_free(vma);
		return NULL;
	}
	return vma;
}

/* Shared anonymous memory is charged whole, private writable memory where accountable. */
static s64 pages_to_charge(struct map_request *r, const struct vma_munmap_struct *vms)
{
	s64 pages = (s64)(r->len >> PAGE_SHIFT);

	if (r->shared_anonymous)
		return r->vm_flags & VM_NORESERVE ? 0 : pages;
	if (!accountable_mapping(r->file, r->vm_flags))
		return 0;
	r->vm_flags |= VM_ACCOUNT;
	return pages - (s64)vms->nr_accounted;
}

static int insert_mapping(struct map_request *r, const struct vma_munmap_struct *vms)
{
	struct vma_merge_struct vmg = {
		.mm = r->mm,
		.prev = vms->prev,
		.next = vms->next,
		.start = r->addr,
		.end = r->addr + r->len,
		.flags = r->vm_flags,
		.pgoff = r->pgoff,
		.file = r->file,
	};

	if (!r->shared_anonymous && vma_merge_new_range(&vmg))
		return 0;
	return map_new_vma(r) ? 0 : -ENOMEM;
}

/* Old mappings of the range are replaced; up to the charge everything can be undone. */
static long mmap_region(struct map_request *r)
{
	struct vma_munmap_struct vms = {
		.mm = r->mm, .start = r->addr, .end = r->addr + r->len};
	s64 pages = (s64)(r->len >> PAGE_SHIFT), charge = 0;
	int error = vms_gather_munmap_vmas(&vms);

	if (error)
		return error;
	if (may_expand_vm(r->mm, r->vm_flags, pages - (s64)vms.nr_pages)) {
		charge = pages_to_charge(r, &vms);
		error = vm_enough_memory(r->mm, charge);
	} else {
		error = -ENOMEM;
	}
	if (!error) {
		error = insert_mapping(r, &vms);
		if (error)
			vm_unacct_memory(charge);
	}
	if (error) {
		vms_abort_munmap_vmas(&vms);
		return error;
	}
	vms_uncount(&vms);
	if (vms.count) {
		/* The charge was the difference: what the old ones held has been kept. */
		if (r->vm_flags & VM_ACCOUNT && !r->shared_anonymous)
			vms.nr_accounted = 0;
		vms_complete_munmap_vmas(&vms);
	}
	vm_stat_account(r->mm, r->vm_flags, pages);
	if (r->vm_flags & VM_LOCKED)
		r->mm->locked_vm += (u64)pages;
	return (long)r->addr;
}

static bool overlaps(struct mm_struct *mm, u64 addr, u64 len)
{
	const struct vm_area_struct *vma = find_vma(mm, addr);

	return vma && vma->vm_start < addr + len;
}

/* A hint that is set but below the lowest address for hints is raised to it. */
static u64 round_hint(const struct mm_struct *mm, u64 hint)
{
	hint &= PAGE_MASK;
	if (hint && hint < mm->config.hint_min_addr)
		return PAGE_ALIGN(mm->config.hint_min_addr);
	return hint;
}

static long do_mmap(struct map_request *r, u64 prot, u64 flags)
{
	struct mm_struct *mm = r->mm;
	long found;
	int error;

	if (!r->len)
		return -EINVAL;
	if (flags & ABI_MAP_FIXED_NOREPLACE)
		flags |= ABI_MAP_FIXED;
	if (!(flags & ABI_MAP_FIXED))
		r->addr = round_hint(mm, r->addr);
	r->len = PAGE_ALIGN(r->len);
	if (!r->len)
		return -ENOMEM;
	if (mm->map_count > mm->config.max_map_count)
		return -ENOMEM;
	r->vm_flags = base_flags(mm, prot, flags);
	found = get_unmapped_area(mm, r->addr, r->len, r->pgoff, flags, r->file);
	if (found < 0)
		return found;
	r->addr = (u64)found;
	if ((flags & ABI_MAP_FIXED_NOREPLACE) && overlaps(mm, r->addr, r->len))
		return -EEXIST;
	error = lock_allowed(mm, r->vm_flags, flags, r->len);
	if (!error)
		error = r->file ? file_flags(r, prot, flags) : anonymous_flags(r, flags);
	if (error)
		return error;
	if (flags & ABI_MAP_NORESERVE)
		r->vm_flags |= VM_NORESERVE;
	return mmap_region(r);
}

long sys_mmap(struct mm_struct *mm, u64 addr, u64 len, u64 prot, u64 flags, struct file *file,
	      u64 offset)
{
	struct map_request r = {.mm = mm, .addr = addr, .len = len, .pgoff = offset >> PAGE_SHIFT};
	long result;

	cpu_work(COST_SYSCALL);
	if (offset & ~PAGE_MASK)
		return -EINVAL;
	if (!(flags & ABI_MAP_ANONYMOUS)) {
		if (!file)
			return -EBADF;
		r.file = file;
	}
	if (sim_unsupported(flags))
		return -ENOSYS;
	mmap_write_lock(mm);
	result = do_mmap(&r, prot, flags);
	mmap_write_unlock(mm);
	if (result >= 0 && ((r.vm_flags & VM_LOCKED) ||
			    (flags & (ABI_MAP_POPULATE | ABI_MAP_NONBLOCK)) == ABI_MAP_POPULATE))
		mm_populate(mm, (u64)result, r.len);
	return result;
}

// The data folder of the test servers: in memory if there is room, since each suite copies and deletes a
// database of 1,800 files, which takes a disk's file system 200 to 400 ms of CPU and memory 20.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const FREE_BYTES_MIN = 3 * 1024 ** 3

export function fastFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= FREE_BYTES_MIN ? MEMORY : tmpdir()
}

/** A new folder for this run. Removes those of runs that were killed, which would otherwise fill the memory. */
export function createRunFolder(): string {
  const folder = fastFolder()
  const names = folder === MEMORY ? readdirSync(folder) : []
  for (const name of names) {
    const [, pid] = /^berth-test-(\d+)-/.exec(name) ?? []
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(folder, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(folder, `berth-test-${process.pid}-`))
}

// Checks the free space on the disk of Postgres, which Postgres does not report: writes some data and rolls
// back; if Postgres runs on this machine, also asks the file system.
import { statfsSync } from 'node:fs'
import type pg from 'pg'
import { onlyRow } from '../../shared/database/database.ts'
import { isDiskFull } from '../../shared/database/faults.ts'
import { type Finding, formatSize, ok, problem, warning } from './findings.ts'

const ABOUT = 'disk of Postgres'
const FREE_BYTES_MIN = 2 * 1024 ** 3

// A megabyte in a temporary table.
const WRITE_SQL = `
  CREATE TEMPORARY TABLE berth_doctor ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 30) AS filler FROM generate_series(1, 1024) AS n`

export async function checkDisk(pool: pg.Pool, { bytes }: { bytes: number }): Promise<Finding> {
  const size = `the database has ${formatSize(bytes)}`
  if (await isFull(pool))
    return problem(
      ABOUT,
      `${size}, and the disk is full: every write is refused`,
      'Make room, or give it a larger disk. Archived WAL that is not taken away (pg_stat_archiver) and old logs fill it often.',
    )
  const free = await freeBytes(pool).catch(() => undefined)
  if (free === undefined) return ok(ABOUT, `${size}; how much is free is not to be seen from here`)
  const says = `${size}, ${formatSize(free)} are free`
  return free >= Math.max(FREE_BYTES_MIN, bytes / 10)
    ? ok(ABOUT, says)
    : warning(ABOUT, says, 'Make room: Postgres stops when its disk is full.')
}

async function isFull(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(WRITE_SQL)
    return false
  } catch (error) {
    // A read-only role or a standby is reported by another finding.
    return isDiskFull(error)
  } finally {
    await client.query('ROLLBACK').catch(() => undefined)
    client.release()
  }
}

async function freeBytes(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`)
  const { bavail, bsize } = statfsSync(onlyRow(rows).folder)
  return bavail * bsize
}

// Accepted imports and exports that have not ended. They are in Postgres, so they survive the loss of Redis.
import type pg from 'pg'

export type AcceptedRow = {
  id: string
  name: string
  state: 'queued' | 'running'
  progress: number
  createdAt: string
}

const LISTED_MAX = 20

export async function listAcceptedJobs(reads: pg.Pool): Promise<AcceptedRow[]> {
  const { rows } = await reads.query<AcceptedRow>(
    `SELECT id, name, state, progress, created_at AS "createdAt"
     FROM jobs WHERE finished_at IS NULL ORDER BY created_at LIMIT $1`,
    [LISTED_MAX],
  )
  return rows
}

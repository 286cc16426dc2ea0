// The query for an accepted job: only the token that created a job can read it.
import type pg from 'pg'
import { dataText, number, objectJson, text, timestamp } from '../../../shared/schemas/json.ts'
import { findText } from '../../http/statement.ts'

const body = `(jobs.outcome ->> 'body')::json`

const job = objectJson({
  id: text('jobs.id'),
  state: text('jobs.state'),
  progress: number('jobs.progress'),
  result: text(`CASE WHEN jobs.state = 'done' AND jobs.file_id IS NULL THEN ${body} END`),
  file: text(`CASE WHEN jobs.state = 'done' THEN (
    SELECT $3::text || '/api/v1/jobs/' || jobs.id || '/file' FROM files WHERE files.id = jobs.file_id AND files.expires_at > now()
  ) END`),
  error: text(`CASE WHEN jobs.state = 'failed' THEN ${body} END`),
  created_at: timestamp('jobs.created_at'),
  finished_at: timestamp('jobs.finished_at'),
})

const byId = {
  name: 'find-job',
  text: `SELECT ${dataText(job)} AS body FROM jobs WHERE jobs.id = $1 AND jobs.token_id = $2`,
}

export function findJob(
  pool: pg.Pool,
  id: string,
  tokenId: number,
  baseUrl: string,
): Promise<string | undefined> {
  return findText(pool, byId, [id, tokenId, baseUrl])
}

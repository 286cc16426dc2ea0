// Queries for an accepted job and its file: only the token that created a job can read them.
import type pg from 'pg'
import { number, objectJson, selectData, text, timestamp } from '../../../shared/schemas/json.ts'

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

export const jobById = {
  name: 'find-job',
  text: selectData(job, 'jobs WHERE jobs.id = $1 AND jobs.token_id = $2'),
}

type JobFile = { fileId: string; name: string; contentType: string | null }

export async function findJobFile(pool: pg.Pool, id: string, tokenId: number): Promise<JobFile | undefined> {
  const { rows } = await pool.query<JobFile>({
    name: 'find-job-file',
    text: `
      SELECT files.id AS "fileId", files.name, files.content_type AS "contentType"
      FROM jobs JOIN files ON files.id = jobs.file_id
      WHERE jobs.id = $1 AND jobs.token_id = $2 AND files.expires_at > now()`,
    values: [id, tokenId],
  })
  return rows[0]
}

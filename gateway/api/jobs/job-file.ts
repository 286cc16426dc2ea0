// Sends the file of an accepted job.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { attachment } from '../../http/export-answer.ts'
import { streamFile } from '../../http/file-stream.ts'
import type { Answer, Call } from '../../http/kit/endpoint.ts'

type JobFile = { fileId: string; name: string; contentType: string | null }

export async function sendJobFile(call: Call<{ id: string }>): Promise<Answer> {
  const { rows } = await call.services.primary.query<JobFile>({
    name: 'find-job-file',
    text: `
      SELECT files.id AS "fileId", files.name, files.content_type AS "contentType"
      FROM jobs JOIN files ON files.id = jobs.file_id
      WHERE jobs.id = $1 AND jobs.token_id = $2 AND files.expires_at > now()`,
    values: [call.params.id, call.tokenId],
  })
  const [file] = rows
  if (!file)
    throw new Refusal('not_found', message`This job does not exist, has no file, or its file has expired.`)
  const body = streamFile(call.services.primary, file.fileId, Promise.resolve())
  return { status: 200, body, contentType: file.contentType ?? undefined, headers: attachment(file.name) }
}

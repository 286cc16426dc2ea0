// User lists in and out, as the gateway sees them: it stores the upload and streams the export; the workers do the rest.
import type { InputOf } from '../../shared/jobs.ts'
import { Refusal } from '../../shared/refusal.ts'
import type { Answer, Call } from '../http/endpoint.ts'
import { streamFile } from '../http/file-stream.ts'
import { attachment, CONTENT_TYPES, type Format, sendWritten } from '../http/written-file.ts'

type ImportForm = Omit<InputOf<'users.import'>, 'file_id' | 'filename'>

export async function importUsers(call: Call<unknown, unknown, ImportForm>): Promise<Answer> {
  const { upload } = call
  if (!upload) throw new Error('The form has not been read')
  const input = { ...call.body, file_id: upload.fileId, filename: upload.filename }
  const answer = call.wantsAsync
    ? await call.accept('users.import', input)
    : await call.dispatch('users.import', input, { signal: call.signal })
  // A job that was accepted now still needs it.
  if (!call.wantsAsync || answer.replayed) {
    call.services.primary.query('DELETE FROM files WHERE id = $1', [upload.fileId]).catch(() => undefined)
  }
  return answer
}

export async function exportUsers(call: Call<unknown, { format: Format }>): Promise<Answer> {
  const { format } = call.query
  if (call.wantsAsync) return call.accept('users.export', { format })
  return sendWritten({
    primary: call.services.primary,
    signal: call.signal,
    name: `users-${call.now.slice(0, 10)}.${format}`,
    contentType: CONTENT_TYPES[format],
    dispatch: (options) => call.dispatch('users.export', { format }, options),
  })
}

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
  if (!file) throw new Refusal('not_found', 'This job does not exist, has no file, or its file has expired.')
  const body = streamFile(call.services.primary, file.fileId, Promise.resolve())
  return { status: 200, body, contentType: file.contentType ?? undefined, headers: attachment(file.name) }
}

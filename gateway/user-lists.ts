// User lists in and out, as the gateway sees them: it stores the upload and streams the export; the workers do the rest.
import type { InputOf } from '../shared/jobs.ts'
import { Refusal } from '../shared/refusal.ts'
import type { Answer, Call } from './endpoint.ts'
import { streamFile } from './file-stream.ts'

type ImportForm = Omit<InputOf<'users.import'>, 'file_id' | 'filename'>
type Format = InputOf<'users.export'>['format']

const CONTENT_TYPES: Record<Format, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

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
  let begin: (fileId: string) => void = () => undefined
  const begun = new Promise<string>((resolve) => {
    begin = resolve
  })
  const written = call.dispatch(
    'users.export',
    { format },
    { signal: call.signal, watch: ({ file }) => file && begin(file) },
  )
  const first = await Promise.race([begun, written])
  if (typeof first !== 'string' && first.refused) return first
  const fileId = typeof first === 'string' ? first : (JSON.parse(first.body ?? '{}') as { file: string }).file
  const { primary } = call.services
  // A caller who has gone waits for no further piece.
  const body = streamFile(primary, fileId, Promise.race([written, abortOf(call.signal)]))
  // Whoever has it, or has gone, needs it no longer; a worker that still writes notices.
  body.once('close', () => primary.query('DELETE FROM files WHERE id = $1', [fileId]).catch(() => undefined))
  // Gone before there was a piece: nobody will take this stream.
  if (call.signal.aborted) body.destroy()
  return {
    status: 200,
    body,
    contentType: CONTENT_TYPES[format],
    headers: attachment(`users-${call.now.slice(0, 10)}.${format}`),
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
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
  if (!file) throw new Refusal('not_found', 'There is no file of such a job, or not any more.')
  const body = streamFile(call.services.primary, file.fileId, Promise.resolve())
  return { status: 200, body, contentType: file.contentType ?? undefined, headers: attachment(file.name) }
}

function attachment(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` }
}

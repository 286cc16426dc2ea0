// Responds to an export: sends the file to the client while a worker writes it.
import type pg from 'pg'
import type { Outcome, RefusedOutcome } from '../../../shared/jobs/jobs.ts'
import type { Progress } from '../../../shared/schemas/progress.ts'
import type { ExportFormat, FileReply } from '../../../shared/users/users.ts'
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import type { DispatchOptions } from '../../queue/dispatch.ts'
import { deleteFiles, streamFile } from '../uploads/stored-files.ts'
import type { Answer } from './call.ts'

export const EXPORT_CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

type FileAnswer = Answer & { refused?: undefined }

type ExportRequest = {
  primary: pg.Pool
  signal: AbortSignal
  name: string
  contentType: string
  /** Queues the job. The reply to the job names the file. */
  dispatch(options: DispatchOptions): Promise<Outcome<FileReply>>
}

/** Starts the response once the first chunk of the file exists. */
export async function sendExport(request: ExportRequest): Promise<FileAnswer | RefusedOutcome> {
  const { primary, signal, name, contentType, dispatch } = request
  let begin: (fileId: string) => void = () => undefined
  const begun = new Promise<string>((resolve) => {
    begin = resolve
  })
  const onProgress = (progress: Progress) => {
    if (progress.phase === 'writing') begin(progress.file)
  }
  const written = dispatch({ signal, onProgress })
  const first = await Promise.race([begun, written])
  if (typeof first !== 'string' && first.refused) return first
  const fileId = typeof first === 'string' ? first : parseJsonText(first.body).file
  // If the caller disconnects, the stream stops waiting for chunks.
  const body = streamFile(primary, fileId, Promise.race([written, waitForAbort(signal)]))
  // Deletes the file once the caller has it or has disconnected. A worker that is still writing the file notices the
  // deletion.
  body.once('close', () => deleteFiles(primary, [fileId]))
  // Destroys the stream if the caller disconnected before the first chunk, because nobody will read it.
  if (signal.aborted) body.destroy()
  return { status: 200, body, contentType, headers: createAttachmentHeaders(name) }
}

export function createAttachmentHeaders(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

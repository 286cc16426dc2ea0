// The gateway's part of importing and exporting users: stores the upload and streams the export. Workers do
// the rest.

import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { ExportFormat } from '../../../shared/users/users.ts'
import type { Answer, Call } from '../../http/call.ts'
import { EXPORT_CONTENT_TYPES, sendExport } from '../../http/export-answer.ts'
import { deleteFiles } from '../../http/kit/stored-files.ts'

type ImportForm = Omit<InputOf<'users.import'>, 'file_id' | 'filename'>

export async function importUsers(call: Call<unknown, unknown, ImportForm>): Promise<Answer> {
  const { upload } = call
  if (!upload) throw new Error('The form has not been read')
  const input = { ...call.body, file_id: upload.fileId, filename: upload.filename }
  const answer = call.wantsAsync
    ? await call.accept('users.import', input)
    : await call.dispatch('users.import', input, { signal: call.signal })
  // A job that was only just accepted still needs the file.
  if (!call.wantsAsync || answer.replayed) {
    deleteFiles(call.services.primary, [upload.fileId])
  }
  return answer
}

export async function exportUsers(call: Call<unknown, { format: ExportFormat }>): Promise<Answer> {
  const { format } = call.query
  if (call.wantsAsync) return call.accept('users.export', { format })
  return sendExport({
    primary: call.services.primary,
    signal: call.signal,
    name: `users-${call.now.slice(0, 10)}.${format}`,
    contentType: EXPORT_CONTENT_TYPES[format],
    dispatch: (options) => call.dispatch('users.export', { format }, options),
  })
}

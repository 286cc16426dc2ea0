// Writes a file for a waiting caller, who gets its id as soon as the first piece can be read.
import type { FileReply } from '../../../shared/users/users.ts'
import type { WorkContext } from '../../runtime/context.ts'
import { writeFile } from '../../runtime/files.ts'
import type { ExportSource } from './copied-tables.ts'

const KEPT_HOURS = 24

export async function writeExport(
  { source, contentType }: ExportSource,
  name: string,
  context: WorkContext,
): Promise<FileReply> {
  const file = { name, contentType, attempt: context.attempt, keptHours: KEPT_HOURS }
  const fileId = await writeFile(context.database, file, source, (id) => {
    context.report({ phase: 'writing', file: id })
  })
  return { file: fileId }
}

// Asks an administrator what the columns in a file of people mean, and remembers the answer for files with the same
// headings.
import type { FilePreview, Layout } from '../../../shared/imports/layouts.ts'
import type { Write } from '../../runtime/write.ts'
import { PLAN_KEPT_HOURS } from './reviewed-imports.ts'

const NOTHING_PLANNED = { create: 0, change: 0, skip: 0, error: 0, deactivate: 0, kept: 0, unmatched: 0 }

/** Stores the first rows of the file as a plan without any rows of its own. The plan is kept as long as any
 * other plan. */
export async function askForColumns(write: Write, preview: FilePreview) {
  await write.run(
    `INSERT INTO import_plans (id, digest, header, counts, preview, expires_at)
     VALUES (?, '', '{}', ?, ?, now() + ? * interval '1 hour')`,
    [write.attempt, JSON.stringify(NOTHING_PLANNED), JSON.stringify(preview), PLAN_KEPT_HOURS],
  )
  return { applied: false, counts: NOTHING_PLANNED, asks: true }
}

export async function rememberLayout(write: Write, { key, columns }: Layout): Promise<void> {
  await write.run(
    `INSERT INTO import_layouts (headings, columns) VALUES (?, ?)
     ON CONFLICT (headings) DO UPDATE SET columns = excluded.columns, used_at = now()`,
    [key, columns],
  )
}

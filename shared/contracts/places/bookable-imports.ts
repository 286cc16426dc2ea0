// The jobs of importing a list of desks, rooms and parking into a location: what it would do, and doing exactly that.
import * as yup from 'yup'
import { flagAnswer, integerAnswer } from '../answers.ts'
import { id, object, required, text, uuid } from '../fields.ts'
import { job } from '../job.ts'
import { fileReply, refusedRowsInput } from '../users.ts'

/** How many rows of the file. */
export const bookableImportCountsSchema = yup.object({
  create: integerAnswer(),
  change: integerAnswer(),
  skip: integerAnswer(),
  error: integerAnswer(),
})
export type BookableImportCounts = yup.InferType<typeof bookableImportCountsSchema>

const input = object({
  file_id: required(uuid()),
  filename: required(text({ max: 1000 })),
  location_id: required(id()),
})

export const bookableImportJobs = {
  /** What an import would do is kept row by row, under the id of the attempt. */
  'bookables.plan-import': job({
    queue: 'imports',
    input,
    reply: yup.object({ counts: bookableImportCountsSchema }),
  }),
  /** Only this very import plan is applied; where it is another one by now, that is kept instead. */
  'bookables.apply-import-plan': job({
    queue: 'imports',
    input: input.shape({ plan_id: required(uuid()) }),
    reply: yup.object({ applied: flagAnswer(), counts: bookableImportCountsSchema }),
  }),
  /** The rows of an import plan that were refused, as they were sent, each with what is wrong with it. */
  'bookables.export-refused': job({
    queue: 'exports',
    input: refusedRowsInput,
    reply: fileReply,
  }),
}

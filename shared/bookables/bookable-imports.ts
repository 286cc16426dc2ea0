// The jobs that import a list of desks, rooms and parking into a location: planning the import, and doing
// exactly that.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, object, required, text, uuid } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { fileReply, importCountsSchema, refusedRowsInput } from '../users/users.ts'

const counts = importCountsSchema.pick(['create', 'change', 'skip', 'error'])

const input = object({
  file_id: required(uuid()),
  filename: required(text({ max: 1000 })),
  location_id: required(id()),
})

export const bookableImportJobs = {
  /** Stores what an import would do row by row, under the id of the attempt. */
  'bookables.plan-import': job({
    queue: 'imports',
    input,
    reply: yup.object({ counts }),
  }),
  /** Applies exactly this import plan; if the plan would differ by now, the new one is stored instead. */
  'bookables.apply-import-plan': job({
    queue: 'imports',
    input: input.shape({ plan_id: required(uuid()) }),
    reply: yup.object({ applied: answer.flag(), counts }),
  }),
  /** The refused rows of an import plan as they were uploaded, each with its errors. */
  'bookables.export-refused': job({
    queue: 'exports',
    input: refusedRowsInput,
    reply: fileReply,
  }),
}

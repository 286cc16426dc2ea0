// Buildings: what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import { idAnswer, idReply, listAnswer, textAnswer } from './answers.ts'
import { id, object, required, text } from './fields.ts'
import { job } from './job.ts'
import { locationSchema } from './locations.ts'
import { timezone } from './times.ts'
import { version } from './version.ts'

export const buildingSchema = yup
  .object({
    id: idAnswer(),
    name: textAnswer(),
    address: textAnswer(),
    locations: listAnswer(locationSchema),
  })
  .meta({ component: 'Building' })
export type Building = yup.InferType<typeof buildingSchema>

const name = () => text({ max: 255, min: 1 })

const changesSchema = object({ name: name(), address: text({ max: 1000 }), timezone: timezone() })

/** Fields that are absent from an update stay unchanged. */
export const buildingJobs = {
  'buildings.create': job({
    queue: 'writes',
    input: changesSchema.shape({ name: required(name()) }),
    reply: idReply,
  }),
  'buildings.update': job({
    queue: 'writes',
    input: changesSchema.shape({ id: required(id()), version: version() }),
    reply: idReply,
  }),
  'buildings.delete': job({
    queue: 'writes',
    input: object({ id: required(id()) }),
    reply: idReply,
  }),
}

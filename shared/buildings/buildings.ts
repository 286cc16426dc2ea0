// Buildings: what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import { locationJson, locationSchema } from '../locations/locations.ts'
import * as answer from '../schemas/answers.ts'
import { id, object, required, text } from '../schemas/fields.ts'
import { byId, version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { listJson, rowJson, selectJson } from '../schemas/json.ts'
import { timezone } from '../schemas/times.ts'

export const buildingSchema = yup
  .object({
    id: answer.id(),
    name: answer.text(),
    address: answer.text(),
    locations: answer.list(locationSchema),
  })
  .meta({ component: 'Building' })
export const buildingJson = rowJson(buildingSchema, 'buildings', {
  locations: selectJson(
    listJson(locationJson, 'locations.id'),
    'FROM locations WHERE locations.building_id = buildings.id',
  ),
})

const name = () => text({ max: 255, min: 1 })

const changesSchema = object({ name: name(), address: text({ max: 1000 }), timezone: timezone() })

/** Fields that are absent from an update stay unchanged. */
export const buildingJobs = {
  'buildings.create': write(changesSchema.shape({ name: required(name()) }), answer.idReply),
  'buildings.update': write(changesSchema.shape({ id: required(id()), version: version() }), answer.idReply),
  'buildings.delete': write(byId, answer.idReply),
}

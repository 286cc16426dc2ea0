// Locations: what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, object, required, text, uuid } from '../schemas/fields.ts'
import { byId, version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { rowJson } from '../schemas/json.ts'

const members = { id: answer.id(), name: answer.text(), code: answer.text() }

export const locationSchema = yup.object(members).meta({ component: 'Location' })
export const locationJson = rowJson(locationSchema, 'locations')

const buildingSchema = yup
  .object({ id: answer.id(), name: answer.text(), address: answer.text() })
  .meta({ component: 'BuildingSummary' })
export const locationInBuildingSchema = yup
  .object({
    ...members,
    building: buildingSchema,
  })
  .meta({ component: 'LocationInBuilding' })
export const locationInBuildingJson = rowJson(locationInBuildingSchema, 'locations', {
  building: rowJson(buildingSchema, 'buildings'),
})

/** SQL: joins of bookables with their places. */
export const WITH_LOCATIONS = 'JOIN locations ON locations.id = bookables.location_id'
export const WITH_BUILDINGS = `${WITH_LOCATIONS} JOIN buildings ON buildings.id = locations.building_id`

const name = () => text({ max: 255, min: 1 })

const changesSchema = object({ building_id: id(), name: name(), code: text({ max: 255 }) })

export const FLOOR_PLAN_BYTES_MAX = 10 * 1024 * 1024

/** Fields that are absent from an update stay unchanged. */
export const locationJobs = {
  'locations.create': write(
    changesSchema.shape({ building_id: required(id()), name: required(name()) }),
    answer.idReply,
  ),
  /** Copies its floor plan and its bookables too. */
  'locations.copy': write(
    changesSchema.shape({
      id: required(id()),
      building_id: required(id()),
      name: required(name()),
    }),
    answer.idReply,
  ),
  'locations.update': write(changesSchema.shape({ id: required(id()), version: version() }), answer.idReply),
  'locations.delete': write(byId, answer.idReply),
  /** Sets the floor plan: an uploaded file, or null for none. */
  'locations.set-floor-plan': write(
    object({ id: required(id()), file_id: required(uuid()).nullable() }),
    answer.idReply,
  ),
}

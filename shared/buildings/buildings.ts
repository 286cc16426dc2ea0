// Defines the API schemas of buildings, and the jobs that write buildings.
import * as yup from 'yup'
import { locationJson, locationSchema } from '../locations/locations.ts'
import { placeTimeFields, placeTimesJson } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { object, required, text } from '../schemas/fields.ts'
import { formVersion, idAndIfMatch } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { listJson, rowJson, selectDataBodySql, selectJson } from '../schemas/json.ts'
import { timezone } from '../schemas/times.ts'

export const buildingSchema = yup
  .object({
    id: answer.id(),
    name: answer.text(),
    address: answer.text(),
    locations: answer.list(locationSchema),
  })
  .meta({ component: 'Building' })
const locationsJson = selectJson(
  listJson(locationJson, 'locations.id'),
  'FROM locations WHERE locations.building_id = buildings.id',
)
export const buildingJson = rowJson(buildingSchema, 'buildings', { locations: locationsJson })

/** A single building with all of its fields. */
export const fullBuildingSchema = buildingSchema.shape(placeTimeFields).meta({ component: 'FullBuilding' })
export const fullBuildingJson = rowJson(fullBuildingSchema, 'buildings', {
  locations: locationsJson,
  ...placeTimesJson('buildings'),
})

/** SQL that selects the API's response for one building. */
export const selectBuildingSql = (id: string) =>
  selectDataBodySql(fullBuildingJson, `buildings WHERE buildings.id = ${id}`)

const nameInput = () => text({ max: 255, min: 1 })

/** Fields that are absent from a change stay unchanged. */
export const buildingChangesSchema = object({
  name: nameInput().meta({ description: 'The name, which must be unique, ignoring letter case.' }),
  address: text({ max: 1000 }),
  timezone: timezone().meta({
    description:
      'An IANA time zone name. Changing it does not move existing bookings, which keep their instants.',
  }),
})
export const newBuildingSchema = buildingChangesSchema.shape({
  name: required(nameInput()),
  timezone: timezone().meta({ description: 'An IANA time zone name. Defaults to UTC.' }),
})

export const buildingJobs = {
  'buildings.create': writeJob(newBuildingSchema, answer.data(fullBuildingSchema)),
  'buildings.update': writeJob(
    buildingChangesSchema.shape({ ...idAndIfMatch(), version: formVersion() }),
    answer.data(fullBuildingSchema),
  ),
  'buildings.delete': writeJob(object(idAndIfMatch()), null),
}

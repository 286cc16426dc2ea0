// Buildings: what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import { locationJson, locationSchema } from '../locations/locations.ts'
import { placeTimes, placeTimesJson } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { object, required, text } from '../schemas/fields.ts'
import { matching, version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { listJson, rowJson, selectData, selectJson } from '../schemas/json.ts'
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

/** A single building, with everything that the API knows about it. */
export const fullBuildingSchema = buildingSchema.shape(placeTimes).meta({ component: 'FullBuilding' })
export const fullBuildingJson = rowJson(fullBuildingSchema, 'buildings', {
  locations: locationsJson,
  ...placeTimesJson('buildings'),
})

/** The statement of one building's answer. */
export const selectBuilding = (id: string) =>
  selectData(fullBuildingJson, `buildings WHERE buildings.id = ${id}`)

const name = () => text({ max: 255, min: 1 })

/** Fields that are absent from a change stay unchanged. */
export const buildingChangesSchema = object({
  name: name().meta({ description: 'The name, which must be unique, ignoring letter case.' }),
  address: text({ max: 1000 }),
  timezone: timezone().meta({
    description:
      'An IANA time zone name. Changing it does not move existing bookings, which keep their instants.',
  }),
})
export const newBuildingSchema = buildingChangesSchema.shape({
  name: required(name()),
  timezone: timezone().meta({ description: 'An IANA time zone name. Defaults to UTC.' }),
})

export const buildingJobs = {
  'buildings.create': write(newBuildingSchema, answer.data(fullBuildingSchema)),
  'buildings.update': write(
    buildingChangesSchema.shape({ ...matching(), version: version() }),
    answer.data(fullBuildingSchema),
  ),
  'buildings.delete': write(object(matching()), null),
}

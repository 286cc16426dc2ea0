// Locations: what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import { placeTimes, placeTimesJson } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { id, list, object, required, text, uuid } from '../schemas/fields.ts'
import { matching, sizeInput, version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { jsonWhere, number, objectJson, rowJson, selectData, text as textJson } from '../schemas/json.ts'
import { SHAPES_MAX, shapeSchema } from './plan-shapes.ts'

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

export const FLOOR_PLAN_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']

const planSchema = yup.object({
  type: answer.oneOf(FLOOR_PLAN_TYPES),
  width: answer.integer('In pixels, after the picture is rotated upright.'),
  height: answer.integer('In pixels, after the picture is rotated upright.'),
  orientation: answer.integer('The EXIF orientation: 1 is upright, 2 to 8 need to be turned.'),
  cell_width: answer
    .decimal('The width of bookables, as a share of the plan’s width. null uses the available space.')
    .nullable(),
})

/** A single location, with everything that the API knows about it. */
export const fullLocationSchema = locationInBuildingSchema
  .shape({
    ...placeTimes,
    plan: planSchema
      .nullable()
      .meta({ description: 'The floor plan. GET locations/{id}/plan returns the picture.' }),
  })
  .meta({ component: 'FullLocation' })
export const fullLocationJson = rowJson(fullLocationSchema, 'locations', {
  building: rowJson(buildingSchema, 'buildings'),
  ...placeTimesJson('locations'),
  plan: jsonWhere(
    'locations.floor_plan_sha256 IS NOT NULL',
    objectJson<yup.InferType<typeof planSchema>>({
      type: textJson('locations.floor_plan_type'),
      width: number('locations.floor_plan_width'),
      height: number('locations.floor_plan_height'),
      orientation: number('locations.floor_plan_orientation'),
      cell_width: textJson<number | null>('locations.cell_width'),
    }),
  ),
})

/** The statement of one location's answer. */
export const selectLocation = (id: string) =>
  selectData(
    fullLocationJson,
    `locations JOIN buildings ON buildings.id = locations.building_id WHERE locations.id = ${id}`,
  )

/** SQL: joins of bookables with their places. */
export const WITH_LOCATIONS = 'JOIN locations ON locations.id = bookables.location_id'
export const WITH_BUILDINGS = `${WITH_LOCATIONS} JOIN buildings ON buildings.id = locations.building_id`

const name = () => text({ max: 255, min: 1 })

/** Fields that are absent from a change stay unchanged. */
export const locationChangesSchema = object({
  building_id: id().meta({ description: 'The id of the building. The bookables move with the location.' }),
  name: name(),
  code: text({ max: 255 }),
})
export const newLocationSchema = locationChangesSchema.shape({
  building_id: required(id()),
  name: required(name()),
})

export const FLOOR_PLAN_BYTES_MAX = 10 * 1024 * 1024

const shapes = () => list(required(shapeSchema), { max: SHAPES_MAX })

export const locationJobs = {
  'locations.create': write(newLocationSchema, answer.data(fullLocationSchema)),
  /** Copies its floor plan and its bookables too. */
  'locations.copy': write(newLocationSchema.shape({ id: required(id()) }), answer.idReply),
  'locations.update': write(
    locationChangesSchema.shape({ ...matching(), version: version() }),
    answer.data(fullLocationSchema),
  ),
  'locations.delete': write(object(matching()), null),
  /** Sets how wide the cells of all bookables are, as a share of the floor plan's width; null for as wide as they have room for. */
  'locations.set-cell-width': write(
    object({ id: required(id()), cell_width: required(sizeInput()).nullable() }),
    answer.idReply,
  ),
  /** Sets the areas and walls on the floor plan, if they still are the ones of `before`. */
  'locations.set-plan-shapes': write(
    object({ id: required(id()), shapes: required(shapes()), before: required(shapes()) }),
    answer.idReply,
  ),
  /** Makes the floor plan an empty sheet, to draw walls and areas on. */
  'locations.set-blank-floor-plan': write(object({ id: required(id()) }), answer.idReply),
  /** Sets the floor plan: an uploaded file, or null for none. */
  'locations.set-floor-plan': write(
    object({ id: required(id()), file_id: required(uuid()).nullable() }),
    answer.idReply,
  ),
}

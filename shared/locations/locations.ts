// Defines the API schemas of locations, and the jobs that write locations.
import * as yup from 'yup'
import { placeTimeFields, placeTimesJson } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { id, list, object, required, text, uuid } from '../schemas/fields.ts'
import { formVersion, idAndIfMatch, sizeShareInput } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import {
  jsonOrNull,
  number,
  objectJson,
  rowJson,
  selectDataBodySql,
  text as textJson,
} from '../schemas/json.ts'
import { SHAPES_MAX, shapeSchema } from './plan-shapes.ts'

const memberFields = { id: answer.id(), name: answer.text(), code: answer.text() }

export const locationSchema = yup.object(memberFields).meta({ component: 'Location' })
export const locationJson = rowJson(locationSchema, 'locations')

const buildingSchema = yup
  .object({ id: answer.id(), name: answer.text(), address: answer.text() })
  .meta({ component: 'BuildingSummary' })
export const locationInBuildingSchema = yup
  .object({
    ...memberFields,
    building: buildingSchema,
  })
  .meta({ component: 'LocationInBuilding' })
export const locationInBuildingJson = rowJson(locationInBuildingSchema, 'locations', {
  building: rowJson(buildingSchema, 'buildings'),
})

export const FLOOR_PLAN_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']

const floorPlanSchema = yup.object({
  type: answer.oneOf(FLOOR_PLAN_TYPES),
  width: answer.integer('In pixels, after the picture is rotated upright.'),
  height: answer.integer('In pixels, after the picture is rotated upright.'),
  orientation: answer.integer('The EXIF orientation: 1 is upright, 2 to 8 need to be turned.'),
  cell_width: answer
    .decimal('The width of bookables, as a share of the plan’s width. null uses the available space.')
    .nullable(),
})

/** A single location with all of its fields. */
export const fullLocationSchema = locationInBuildingSchema
  .shape({
    ...placeTimeFields,
    plan: floorPlanSchema
      .nullable()
      .meta({ description: 'The floor plan. GET locations/{id}/plan returns the picture.' }),
  })
  .meta({ component: 'FullLocation' })
export const fullLocationJson = rowJson(fullLocationSchema, 'locations', {
  building: rowJson(buildingSchema, 'buildings'),
  ...placeTimesJson('locations'),
  plan: jsonOrNull(
    'locations.floor_plan_sha256 IS NOT NULL',
    objectJson<yup.InferType<typeof floorPlanSchema>>({
      type: textJson('locations.floor_plan_type'),
      width: number('locations.floor_plan_width'),
      height: number('locations.floor_plan_height'),
      orientation: number('locations.floor_plan_orientation'),
      cell_width: textJson<number | null>('locations.cell_width'),
    }),
  ),
})

/** SQL that selects the API's response for one location. */
export const selectLocationSql = (id: string) =>
  selectDataBodySql(
    fullLocationJson,
    `locations JOIN buildings ON buildings.id = locations.building_id WHERE locations.id = ${id}`,
  )

/** SQL that joins bookables with their locations and buildings. */
export const JOIN_LOCATIONS_SQL = 'JOIN locations ON locations.id = bookables.location_id'
export const JOIN_BUILDINGS_SQL = `${JOIN_LOCATIONS_SQL} JOIN buildings ON buildings.id = locations.building_id`

const nameInput = () => text({ max: 255, min: 1 })

/** Fields that are absent from a change stay unchanged. */
export const locationChangesSchema = object({
  building_id: id().meta({ description: 'The id of the building. The bookables move with the location.' }),
  name: nameInput(),
  code: text({ max: 255 }),
})
export const newLocationSchema = locationChangesSchema.shape({
  building_id: required(id()),
  name: required(nameInput()),
})

export const FLOOR_PLAN_BYTES_MAX = 10 * 1024 * 1024

const shapesInput = () => list(required(shapeSchema), { max: SHAPES_MAX })

export const locationJobs = {
  'locations.create': writeJob(newLocationSchema, answer.data(fullLocationSchema)),
  /** Copies a location with its floor plan and its bookables. */
  'locations.copy': writeJob(newLocationSchema.shape({ id: required(id()) }), answer.idReply),
  'locations.update': writeJob(
    locationChangesSchema.shape({ ...idAndIfMatch(), version: formVersion() }),
    answer.data(fullLocationSchema),
  ),
  'locations.delete': writeJob(object(idAndIfMatch()), null),
  /**
   * Sets the width of the cells of all bookables on a floor plan, as a share of the plan's width. Null means as wide as
   * there is room for.
   */
  'locations.set-cell-width': writeJob(
    object({ id: required(id()), cell_width: required(sizeShareInput()).nullable() }),
    answer.idReply,
  ),
  /** Replaces the areas and walls on the floor plan. Refused if the current areas and walls differ from `before`. */
  'locations.set-plan-shapes': writeJob(
    object({ id: required(id()), shapes: required(shapesInput()), before: required(shapesInput()) }),
    answer.idReply,
  ),
  /** Replaces the floor plan with an empty sheet, on which administrators can draw walls and areas. */
  'locations.set-blank-floor-plan': writeJob(object({ id: required(id()) }), answer.idReply),
  /** Sets the floor plan to an uploaded file, or removes it if `file_id` is null. */
  'locations.set-floor-plan': writeJob(
    object({ id: required(id()), file_id: required(uuid()).nullable() }),
    answer.idReply,
  ),
}

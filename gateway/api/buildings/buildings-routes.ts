// Buildings and their bookings over HTTP.

import { bookingInBuildingSchema } from '../../../shared/bookings/bookings.ts'
import { buildingSchema } from '../../../shared/buildings/buildings.ts'
import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { read } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { bookingsOfBuilding, inRange } from '../bookings/bookings-queries.ts'
import { allBuildings, findBuilding } from './buildings-queries.ts'

const tag = 'Buildings'
const missing = message`There is no building with this id.`

export const buildings = [
  list({
    path: '/buildings',
    name: 'listBuildings',
    ability: 'read',
    tag,
    summary: 'List all buildings, with their locations',
    item: buildingSchema,
    source: () => ({ listing: allBuildings, values: [] }),
  }),
  read({
    path: '/buildings/{id}',
    name: 'getBuilding',
    ability: 'read',
    tag,
    summary: 'Get a building, with its locations',
    params: object({ id: pathId() }),
    answer: dataAnswer(buildingSchema),
    missing,
    find: ({ params }, { pointReads }) => findBuilding(pointReads, params.id),
  }),
  list({
    path: '/buildings/{building_id}/bookings',
    name: 'listBuildingBookings',
    ability: 'read',
    tag,
    summary: 'List the bookings in a building',
    params: object({ building_id: pathId() }),
    query: rangeQuery,
    item: bookingInBuildingSchema,
    missing,
    source: (call) => inRange(bookingsOfBuilding, call, call.params.building_id),
  }),
]

// Series over HTTP: bookings that repeat.

import { deletedSeriesQuery, newSeriesSchema, seriesSchema } from '../../../shared/bookings/series.ts'
import { message } from '../../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { read, write } from '../../http/kit/endpoint.ts'
import { findSeries } from './series-queries.ts'

const tag = 'Series'
const byId = { params: object({ id: pathId() }), missing: message`There is no series with this id.` }

export const series = [
  write({
    method: 'POST',
    path: '/bookings/series',
    name: 'createSeries',
    ability: 'booking-write',
    tag,
    summary: 'Create bookings that repeat',
    description:
      'Takes a booking and how it repeats. The times of day stay the same on the clocks of the building; an hour that they skip moves to the next one.',
    body: newSeriesSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'series.create',
    input: ({ body }) => body,
  }),
  read({
    ...byId,
    path: '/series/{id}',
    name: 'getSeries',
    ability: 'read',
    tag,
    summary: 'Get a series with its bookings',
    answer: dataAnswer(seriesSchema),
    find: ({ params, baseUrl }, { pool }) => findSeries(pool, params.id, baseUrl),
  }),
  write({
    ...byId,
    method: 'DELETE',
    path: '/series/{id}',
    name: 'deleteSeries',
    ability: 'booking-write',
    tag,
    summary: 'Delete the bookings of a series from now or a later moment on',
    description:
      'Those that have not begun are deleted. The one that runs now ends now, unless from is in the future. What is over stays.',
    query: deletedSeriesQuery,
    refusals: ['outside_buildings'],
    job: 'series.delete',
    input: ({ params, query }) => ({ id: params.id, from: query.from }),
  }),
]

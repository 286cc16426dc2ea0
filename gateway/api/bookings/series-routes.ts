// Series over HTTP: bookings that repeat.
import { deletedSeriesQuery, newSeriesSchema, seriesSchema } from '../../../shared/bookings/series.ts'
import { message } from '../../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { read, resource, write } from '../../http/endpoint.ts'
import { seriesById } from './bookings-queries.ts'

const missing = message`There is no series with this id.`

export const series = resource({ tag: 'Series', ability: 'booking-write', missing }, [
  write({
    method: 'POST',
    path: '/bookings/series',
    name: 'createSeries',
    summary: 'Create bookings that repeat',
    description:
      'Takes a booking and how it repeats. The times of day stay the same on the clocks of the building; an hour that they skip moves to the next one.',
    body: newSeriesSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'series.create',
    input: ({ body }) => body,
  }),
  read({
    path: '/series/{id}',
    name: 'getSeries',
    ability: 'read',
    summary: 'Get a series with its bookings',
    answer: seriesSchema,
    statement: seriesById,
    values: ({ baseUrl }) => [baseUrl],
    isLarge: true,
  }),
  write({
    method: 'DELETE',
    path: '/series/{id}',
    name: 'deleteSeries',
    summary: 'Delete the bookings of a series from now or a later moment on',
    description:
      'Those that have not begun are deleted. The one that runs now ends now, unless from is in the future. What is over stays.',
    query: deletedSeriesQuery,
    refusals: ['outside_buildings'],
    job: 'series.delete',
    input: ({ params, query }) => ({ id: params.id, from: query.from }),
  }),
])

// Defines the API schemas of series of repeated events, and the jobs that write series.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, list, object, required } from '../schemas/fields.ts'
import { formVersion, idAndIfMatch } from '../schemas/inputs.ts'
import { job, writeJob } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import {
  checkedSeriesSchema,
  createdSeriesFields,
  estimateOccurrences,
  newSeriesFields,
  scopeField,
  seriesFields,
  severalScope,
  weighSeveral,
} from '../series/repetition.ts'
import { eventChangesSchema, eventReplacementSchema, newEventSchema, ROOMS_MAX } from './event-jobs.ts'
import { eventSchema, eventWriteQuery } from './events.ts'

export const newEventSeriesSchema = newEventSchema.shape(newSeriesFields)

const scope = scopeField('event')
export const scopedEventWriteQuery = eventWriteQuery.shape({ scope })
export const eventScopeQuery = object({ scope })

const createdEventSeriesSchema = yup
  .object(createdSeriesFields(eventSchema))
  .meta({ component: 'CreatedEventSeries' })

export const eventSeriesSchema = yup
  .object({
    ...seriesFields,
    events: answer.list(eventSchema).meta({ description: 'The events in order, including cancelled ones.' }),
  })
  .meta({ component: 'EventSeries' })

const { include, invite } = eventWriteQuery.fields
const several = { ...idAndIfMatch(), scope: severalScope() }
const answering = { include, invite }

export const eventSeriesJobs = {
  'event-series.create': job({
    queue: 'writes',
    input: newEventSeriesSchema.shape(answering),
    reply: answer.data(createdEventSeriesSchema),
    weigh: ({ from_time, to_time, repeat }) => estimateOccurrences(from_time ?? to_time, repeat),
  }),
  /** Finds out which dates of a series would be refused, without creating the series. */
  'event-series.check': job({
    queue: 'writes',
    input: newEventSeriesSchema.shape(answering),
    reply: answer.data(checkedSeriesSchema),
    weigh: ({ from_time, to_time, repeat }) => estimateOccurrences(from_time ?? to_time, repeat),
  }),
  /**
   * Cancels the events of a series that begin at `from` or later. Also cancels running events, unless `from` is in the
   * future.
   */
  'event-series.delete': writeJob(object({ id: required(id()), from: dateTime() }), null),
  /** Replaces an event and others of its series in one write. The reply is the event with this id. */
  'event-series.replace-events': job({
    queue: 'writes',
    input: eventReplacementSchema.shape({ ...several, ...answering, version: formVersion() }),
    reply: answer.data(eventSchema),
    weigh: weighSeveral,
  }),
  /** Changes an event and others of its series in one write. The reply is the event with this id. */
  'event-series.update-events': job({
    queue: 'writes',
    input: eventChangesSchema.shape({
      ...several,
      ...answering,
      seen_rooms: list(required(id()), { max: ROOMS_MAX }),
    }),
    reply: answer.data(eventSchema),
    weigh: weighSeveral,
  }),
  /** Cancels an event and others of its series in one write. */
  'event-series.cancel-events': job({
    queue: 'writes',
    input: object(several),
    reply: null,
    weigh: weighSeveral,
  }),
}

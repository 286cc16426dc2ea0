// Defines the API schemas of bookings, and the jobs that write bookings.
import * as yup from 'yup'
import { bookableInBuildingSchema, bookableSchema, locatedBookableSchema } from '../bookables/bookables.ts'
import { type MessageValue, message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import { unavailabilitySchema } from '../rules/affected-bookings-input.ts'
import * as answer from '../schemas/answers.ts'
import { email, flag, id, integer, object, required, text, treatNullAsAbsent } from '../schemas/fields.ts'
import { formVersion, idInput, idList, ifMatch, isAfterField, withFixedFields } from '../schemas/inputs.ts'
import { job, writeJob } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import { userSchema } from '../users/users.ts'
import { bookingRefusalFields } from './booking-refusals.ts'

const livemapAnswer = () => answer.url('The URL of a picture that shows where the booking is.')

const timeFields = {
  id: answer.id(),
  from: answer.timestamp(),
  to: answer.timestamp('null means open-ended.').nullable(),
  livemap: livemapAnswer(),
}

/** The response of every endpoint that writes a booking. */
export const writtenBookingSchema = yup
  .object({ ...timeFields, bookable: locatedBookableSchema, user: userSchema })
  .meta({ component: 'WrittenBooking' })
export type WrittenBooking = yup.InferType<typeof writtenBookingSchema>

const listedBookingSchema = <Shown extends yup.ObjectShape>(name: string, shown: Shown) =>
  yup
    .object({
      ...timeFields,
      ...shown,
      guest: answer.text('The guest’s name, or their e-mail if there is no name.').nullable(),
      license_plate: answer
        .text()
        .nullable()
        .meta({ description: 'Set only on parking bookings.', sometimes: true }),
    })
    .meta({ component: name })

export const bookingOfUserSchema = listedBookingSchema('BookingOfUser', {
  bookable: bookableInBuildingSchema,
})
export const bookingInBuildingSchema = listedBookingSchema('BookingInBuilding', {
  bookable: locatedBookableSchema,
  user: userSchema,
})
/** A booking as the change feed shows it. */
export const changedBookingSchema = listedBookingSchema('ChangedBooking', {
  bookable: bookableInBuildingSchema,
  user: userSchema,
})
export const bookingInLocationSchema = listedBookingSchema('BookingInLocation', {
  bookable: bookableSchema,
  user: userSchema,
})
export const bookingOfBookableSchema = listedBookingSchema('BookingOfBookable', { user: userSchema })
export const bookingSchema = listedBookingSchema('Booking', {
  bookable: bookableInBuildingSchema,
  user: userSchema,
})

/** A single booking with all of its fields. */
export const bookingDetailsSchema = bookingSchema
  .shape({
    series_id: answer.id('The series that the booking belongs to.').nullable(),
    license_plate: answer
      .text()
      .nullable()
      .optional()
      .meta({ description: 'Set only on parking bookings.', sometimes: true }),
    checked_in_at: answer.timestamp('When the user checked in.').nullable(),
    guest_email: answer.text('The guest’s e-mail address.').nullable(),
    booking_info: answer.text('The purpose of the booking.').nullable(),
  })
  .meta({ component: 'BookingDetails' })

/** The response to a request for a single booking. */
export const bookingWithPictureSchema = bookingDetailsSchema
  .shape({
    livemap_url: answer.url(
      'The URL of the same picture without a token, for display on web pages. It expires within an hour.',
    ),
  })
  .meta({ component: 'BookingWithPicture' })

/** Whether to book for a person who is away on a day of the booking. */
const overridesAbsence = () =>
  flag().meta({
    description:
      'Whether to book although the user is away then. People who book for themselves need not set it.',
  })

export const newBookingSchema = object({
  bookable_id: required(id()).meta({ description: 'The bookable to book.' }),
  from_time: treatNullAsAbsent(dateTime()).meta({ description: 'The start. Defaults to now.' }),
  to_time: required(dateTime())
    .test(...isAfterField('from_time'))
    .meta({ description: 'The end. Must be after from_time and in the future.' }),
  user_id: required(id()).meta({ description: 'The user for whom the booking is made.' }),
  location_id: required(id()).meta({ description: 'The location of the bookable.' }),
  guest_email: treatNullAsAbsent(email()).meta({
    description: 'The guest’s e-mail address, for a guest booking.',
  }),
  guest_name: treatNullAsAbsent(text({ max: 255 })).meta({
    description: 'The guest’s name, for a guest booking.',
  }),
  booking_info: treatNullAsAbsent(text({ max: 1000 })).meta({
    description: 'The purpose of a guest booking.',
  }),
  user_vehicle_id: treatNullAsAbsent(id()).meta({
    description: 'One of the user’s vehicles; required if the parking spot requires one.',
  }),
  overrides_absence: overridesAbsence(),
})

const formatRequiredMessage = (name: MessageValue) => message`${name} is required.`

type Changes = Record<string, unknown>

/** Whether a change affects only the booking's details and not its time. */
const changesOnlyDetails = ({ guest_name, guest_email, booking_info, ...rest }: Changes) =>
  [guest_name, guest_email, booking_info].some((each) => each !== undefined) &&
  rest.from_time === undefined &&
  rest.user_vehicle_id === undefined

/** The fields of a booking that both PUT and PATCH accept. */
const changeFields = object({
  from_time: dateTime()
    .nullable()
    .meta({ description: 'The start. Omit it to keep the current start; null means now.' }),
  to_time: dateTime()
    .nonNullable(createFieldMessage(formatRequiredMessage))
    .test(
      'needed',
      createFieldMessage(formatRequiredMessage),
      (to_time, { parent }) => to_time !== undefined || changesOnlyDetails(parent),
    )
    .test(...isAfterField('from_time'))
    .meta({
      description:
        'The end. Must be after the start. To end a booking early, send a time that is now or in the past. Required, unless only guest_name, ' +
        'guest_email and booking_info change.',
    }),
  user_vehicle_id: id()
    .nullable()
    .meta({ description: 'The vehicle. Omit it to keep the current one; null clears it.' }),
  guest_email: email()
    .nullable()
    .meta({ description: 'The guest’s e-mail address. Omit it to keep the current one; null clears it.' }),
  guest_name: text({ max: 255 }).nullable().meta({
    description: 'The guest’s name. Omit it to keep the current one; null clears it.',
  }),
  booking_info: text({ max: 1000 }).nullable().meta({
    description: 'The purpose. Omit it to keep the current one; null clears it.',
  }),
  overrides_absence: overridesAbsence(),
})
export const bookingChangesSchema = withFixedFields(
  changeFields,
  newBookingSchema,
  message`delete the booking and create another.`,
)

/** The request to move a booking. Fields that a move cannot change must equal those of the booking. */
export const bookingMoveSchema = withFixedFields(
  withFixedFields(
    object({
      bookable_id: required(id()).meta({ description: 'The bookable to move to.' }),
      from_time: dateTime()
        .nullable()
        .meta({ description: 'The start. Omit it to keep the current start; null means now.' }),
      to_time: dateTime()
        .test(...isAfterField('from_time'))
        .meta({
          description: 'The end. Omit it to keep the current end. Must be after the start and in the future.',
        }),
      overrides_absence: overridesAbsence(),
    }),
    newBookingSchema.pick(['user_id']),
    message`delete the booking and create another.`,
  ),
  newBookingSchema.pick(['guest_email', 'guest_name', 'booking_info', 'user_vehicle_id']),
  message`use PATCH bookings/{id}.`,
)

/** The result of checking whether Berth would allow a booking. */
const bookingCheckSchema = yup
  .object({ allowed: answer.flag(), ...bookingRefusalFields })
  .meta({ component: 'BookingCheck' })

const RELEASED_MAX = 10_000

/** The limit on bookings that one write can cancel. */
export const CANCELLATIONS_PER_WRITE_MAX = 500

// Only for administrators in the dashboard: ignores the rules of the place, and records the broken rules in the audit
// log.
const overridingFields = { overrides_rules: flag() }

export const bookingJobs = {
  'bookings.create': writeJob(
    newBookingSchema.shape(overridingFields),
    answer.data(yup.tuple([writtenBookingSchema]).defined()),
  ),
  /** Returns what bookings.create would do with this input, without changing anything. */
  'bookings.check': writeJob(newBookingSchema, answer.data(bookingCheckSchema)),
  /**
   * Checks a booking for the dashboard, without creating it. Refuses the booking as bookings.create would, and lists
   * every broken rule in `broken_rules`.
   */
  'bookings.try': writeJob(newBookingSchema, answer.data(yup.object({ allowed: answer.flag() }))),
  /** Creates a booking without an end. Only administrators may do this. */
  'bookings.create-open': writeJob(
    newBookingSchema.omit(['to_time']).shape(overridingFields),
    answer.data(yup.tuple([writtenBookingSchema]).defined()),
  ),
  /** Releases the current and future claims of deactivated users: of the given users, or of all deactivated users. */
  'bookings.release': writeJob(
    object({ user_ids: idList({ max: RELEASED_MAX }) }),
    answer.data(yup.object({ deleted: answer.integer(), ended: answer.integer() })),
  ),
  /**
   * An accepted job that releases, in batches, either the claims of deactivated users or the affected claims on some
   * bookables. `expected` is the initial number of claims.
   */
  'bookings.release-all': job({
    queue: 'imports',
    input: object({
      user_ids: idList({ max: RELEASED_MAX }),
      taking: unavailabilitySchema.optional().default(undefined),
      expected: required(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    }),
    reply: answer.data(yup.object({ released: answer.integer() })),
  }),
  'bookings.update': writeJob(
    bookingChangesSchema.shape({
      ...overridingFields,
      id: required(id()),
      version: formVersion(),
      if_match: ifMatch(),
    }),
    answer.data(writtenBookingSchema),
  ),
  /** Moves a booking to another bookable, and to another time if one is given. */
  'bookings.move': writeJob(
    bookingMoveSchema.shape({
      ...overridingFields,
      id: required(id()),
      version: formVersion(),
      if_match: ifMatch(),
    }),
    answer.data(writtenBookingSchema),
  ),
  'bookings.check-in': writeJob(idInput, answer.data(bookingDetailsSchema)),
  'bookings.delete': writeJob(object({ id: required(id()), if_match: ifMatch() }), null),
  /**
   * Cancels many bookings at once: ends running bookings now, and deletes future ones. Past bookings stay, and the
   * reply counts them as `kept`.
   */
  'bookings.cancel': job({
    queue: 'writes',
    input: object({ ids: required(idList({ max: CANCELLATIONS_PER_WRITE_MAX })) }),
    reply: answer.data(
      yup.object({ deleted: answer.integer(), ended: answer.integer(), kept: answer.list(answer.id()) }),
    ),
    weigh: ({ ids: asked }) => asked.length,
  }),
}

// Bookings: what the API takes and shows of them, and the jobs that write them.
import * as yup from 'yup'
import { bookableInBuildingSchema, bookableSchema, locatedBookableSchema } from '../bookables/bookables.ts'
import { message, type Value } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import { unavailabilitySchema } from '../rules/affected-bookings-input.ts'
import * as answer from '../schemas/answers.ts'
import { email, flag, id, integer, nullIsAbsent, object, required, text } from '../schemas/fields.ts'
import { after, byId, ids, ifMatch, version, withFixed } from '../schemas/inputs.ts'
import { job, write } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import { userSchema } from '../users/users.ts'
import { bookingRefusal } from './booking-refusals.ts'

const livemapAnswer = () => answer.url('The URL of a picture that shows where the booking is.')

const when = {
  id: answer.id(),
  from: answer.timestamp(),
  to: answer.timestamp('null means open-ended.').nullable(),
  livemap: livemapAnswer(),
}

/** The answer to every write of a booking. */
export const writtenBookingSchema = yup
  .object({ ...when, bookable: locatedBookableSchema, user: userSchema })
  .meta({ component: 'WrittenBooking' })
export type WrittenBooking = yup.InferType<typeof writtenBookingSchema>

const listed = <Shown extends yup.ObjectShape>(name: string, shown: Shown) =>
  yup
    .object({
      ...when,
      ...shown,
      guest: answer.text('The guest’s name, or their e-mail if there is no name.').nullable(),
      license_plate: answer
        .text()
        .nullable()
        .meta({ description: 'Set only on parking bookings.', sometimes: true }),
    })
    .meta({ component: name })

export const bookingOfUserSchema = listed('BookingOfUser', { bookable: bookableInBuildingSchema })
export const bookingInBuildingSchema = listed('BookingInBuilding', {
  bookable: locatedBookableSchema,
  user: userSchema,
})
/** As the change feed shows it. */
export const changedBookingSchema = listed('ChangedBooking', {
  bookable: bookableInBuildingSchema,
  user: userSchema,
})
export const bookingInLocationSchema = listed('BookingInLocation', {
  bookable: bookableSchema,
  user: userSchema,
})
export const bookingOfBookableSchema = listed('BookingOfBookable', { user: userSchema })
export const bookingSchema = listed('Booking', { bookable: bookableInBuildingSchema, user: userSchema })

/** A single booking, with everything that the API knows about it. */
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

/** The answer to a read. */
export const bookingWithPictureSchema = bookingDetailsSchema
  .shape({
    livemap_url: answer.url(
      'The URL of the same picture without a token, for display on web pages. It expires within an hour.',
    ),
  })
  .meta({ component: 'BookingWithPicture' })

export const newBookingSchema = object({
  bookable_id: required(id()).meta({ description: 'The bookable to book.' }),
  from_time: nullIsAbsent(dateTime()).meta({ description: 'The start. Defaults to now.' }),
  to_time: required(dateTime())
    .test(...after('from_time'))
    .meta({ description: 'The end. Must be after from_time and in the future.' }),
  user_id: required(id()).meta({ description: 'The user for whom the booking is made.' }),
  location_id: required(id()).meta({ description: 'The location of the bookable.' }),
  guest_email: nullIsAbsent(email()).meta({
    description: 'The guest’s e-mail address, for a guest booking.',
  }),
  guest_name: nullIsAbsent(text({ max: 255 })).meta({
    description: 'The guest’s name, for a guest booking.',
  }),
  booking_info: nullIsAbsent(text({ max: 1000 })).meta({ description: 'The purpose of a guest booking.' }),
  user_vehicle_id: nullIsAbsent(id()).meta({
    description: 'One of the user’s vehicles; required if the parking spot requires one.',
  }),
})

const isNeeded = (name: Value) => message`${name} is required.`

type Changes = Record<string, unknown>

/** Whether it changes only what is known about the booking, and leaves its time. */
const keepsTimes = ({ guest_name, guest_email, booking_info, ...rest }: Changes) =>
  [guest_name, guest_email, booking_info].some((each) => each !== undefined) &&
  rest.from_time === undefined &&
  rest.user_vehicle_id === undefined

/** For both PUT and PATCH. */
const changes = object({
  from_time: dateTime()
    .nullable()
    .meta({ description: 'The start. Omit it to keep the current start; null means now.' }),
  to_time: dateTime()
    .nonNullable(fieldMessage(isNeeded))
    .test(
      'needed',
      fieldMessage(isNeeded),
      (to_time, { parent }) => to_time !== undefined || keepsTimes(parent),
    )
    .test(...after('from_time'))
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
})
export const bookingChangesSchema = withFixed(
  changes,
  newBookingSchema,
  message`delete the booking and create another.`,
)

/** A move keeps what only a change of the booking can set, so these fields must not differ. */
export const bookingMoveSchema = withFixed(
  withFixed(
    object({
      bookable_id: required(id()).meta({ description: 'The bookable to move to.' }),
      from_time: dateTime()
        .nullable()
        .meta({ description: 'The start. Omit it to keep the current start; null means now.' }),
      to_time: dateTime()
        .test(...after('from_time'))
        .meta({
          description: 'The end. Omit it to keep the current end. Must be after the start and in the future.',
        }),
    }),
    newBookingSchema.pick(['user_id']),
    message`delete the booking and create another.`,
  ),
  newBookingSchema.pick(['guest_email', 'guest_name', 'booking_info', 'user_vehicle_id']),
  message`use PATCH bookings/{id}.`,
)

/** Whether a booking would be allowed. */
const bookingCheckSchema = yup
  .object({ allowed: answer.flag(), ...bookingRefusal })
  .meta({ component: 'BookingCheck' })

const RELEASED_MAX = 10_000

/** How many bookings one write can cancel. */
export const CANCELLED_MAX = 500

// For administrators, in the dashboard: the rules of the place do not apply, and the audit log lists those
// that were broken.
const overriding = { overrides_rules: flag() }

export const bookingJobs = {
  'bookings.create': write(
    newBookingSchema.shape(overriding),
    answer.data(yup.tuple([writtenBookingSchema]).defined()),
  ),
  /** Changes nothing: returns what bookings.create would do. */
  'bookings.check': write(newBookingSchema, answer.data(bookingCheckSchema)),
  /** The same for the dashboard: refuses as bookings.create would, and names every broken rule in `broken_rules`. */
  'bookings.try': write(newBookingSchema, answer.data(yup.object({ allowed: answer.flag() }))),
  /** Without an end: for administrators only. */
  'bookings.create-open': write(
    newBookingSchema.omit(['to_time']).shape(overriding),
    answer.data(yup.tuple([writtenBookingSchema]).defined()),
  ),
  /** Releases what deactivated users hold from now on: the named users, or all. */
  'bookings.release': write(
    object({ user_ids: ids({ max: RELEASED_MAX }) }),
    answer.data(yup.object({ deleted: answer.integer(), ended: answer.integer() })),
  ),
  /**
   * The same in pieces, as an accepted job; or releases the affected claims on some bookables.
   * `expected` is how many there were at first.
   */
  'bookings.release-all': job({
    queue: 'imports',
    input: object({
      user_ids: ids({ max: RELEASED_MAX }),
      taking: unavailabilitySchema.optional().default(undefined),
      expected: required(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    }),
    reply: answer.data(yup.object({ released: answer.integer() })),
  }),
  'bookings.update': write(
    bookingChangesSchema.shape({
      ...overriding,
      id: required(id()),
      version: version(),
      if_match: ifMatch(),
    }),
    answer.data(writtenBookingSchema),
  ),
  /** Moves a booking to another bookable, and to another time if one is given. */
  'bookings.move': write(
    bookingMoveSchema.shape({
      ...overriding,
      id: required(id()),
      version: version(),
      if_match: ifMatch(),
    }),
    answer.data(writtenBookingSchema),
  ),
  'bookings.check-in': write(byId, answer.data(bookingDetailsSchema)),
  'bookings.delete': write(object({ id: required(id()), if_match: ifMatch() }), null),
  /** Many at once: running ones end now, future ones are deleted. Those that are over stay: `kept`. */
  'bookings.cancel': job({
    queue: 'writes',
    input: object({ ids: required(ids({ max: CANCELLED_MAX })) }),
    reply: answer.data(
      yup.object({ deleted: answer.integer(), ended: answer.integer(), kept: answer.list(answer.id()) }),
    ),
    weigh: ({ ids: asked }) => asked.length,
  }),
}

// Maps jobs to their handlers. If a job has no handler, the code does not compile. Frequent jobs also have a handler
// for batches.
import type { JobName } from '../../shared/jobs/jobs.ts'
import type { Handler } from '../runtime/write.ts'
import { absenceHandlers } from './absences/absences.ts'
import { adminHandlers } from './administrators/admins.ts'
import { assigneeHandlers } from './bookables/assignees.ts'
import { bookableHandlers } from './bookables/changes.ts'
import { codeHandlers } from './bookables/codes.ts'
import { bookableRowHandlers } from './bookables/creations.ts'
import { applyBookableImport, planBookableImport } from './bookables/imports.ts'
import { singleBookableHandlers } from './bookables/single.ts'
import { bookingRequestHandlers } from './booking-requests/booking-requests.ts'
import { bookingCheckIns, bookingDeletions, bookingHandlers } from './bookings/bookings.ts'
import { bookingMoves, bookingUpdates } from './bookings/changes.ts'
import { createBookings, newBookingHandlers } from './bookings/creations.ts'
import { releaseHandlers } from './bookings/releases.ts'
import { seriesHandlers } from './bookings/series.ts'
import { swapHandlers } from './bookings/swaps.ts'
import { workDayHandlers } from './bookings/work-days.ts'
import { eventAnswerHandlers, eventAnswers } from './events/answers.ts'
import { eventCheckInHandlers, eventCheckIns } from './events/check-ins.ts'
import { eventSeriesHandlers } from './events/event-series.ts'
import {
  eventCancellations,
  eventCreations,
  eventDeletions,
  eventHandlers,
  eventReplacements,
  eventUpdates,
} from './events/events.ts'
import { fromBookingHandlers } from './events/from-booking.ts'
import { exportAffectedPeople } from './exports/affected-people.ts'
import { exportBookings } from './exports/bookings.ts'
import { exportRefusedRows } from './exports/refused-rows.ts'
import { exportReport } from './exports/reports.ts'
import { exportUsers } from './exports/users.ts'
import { groupHandlers } from './groups/groups.ts'
import { teamDayHandlers } from './groups/team-days.ts'
import { handOverHandlers } from './hand-over/hand-over.ts'
import { loanHandlers } from './loans/loans.ts'
import { peopleHandlers } from './people/people.ts'
import { closingHandlers } from './places/close-places.ts'
import { placeHandlers } from './places/places.ts'
import { ruleHandlers } from './places/set-rules.ts'
import { roomCalendarLinkHandlers } from './room-calendar-links/link.ts'
import { roomCalendarNoticeHandlers } from './room-calendar-links/notices.ts'
import { roomCalendarHandlers } from './room-calendars/apply.ts'
import { scimGroupHandlers } from './scim/scim-groups.ts'
import { scimUserHandlers } from './scim/scim-users.ts'
import { screenHandlers } from './screens/screens.ts'
import { calendarHandlers } from './tokens/calendars.ts'
import { deviceHandlers } from './tokens/devices.ts'
import { tokenHandlers } from './tokens/tokens.ts'
import { undoHandlers } from './undo/undo.ts'
import { applyImportPlan, importUsers, planImport } from './users/imports.ts'
import { userHandlers } from './users/users.ts'
import { vehicleHandlers } from './users/vehicles.ts'
import { visitorHandlers } from './visitors/arrivals.ts'
import { waitlistHandlers } from './waits/waits.ts'
import { webhookDeliveryHandlers, webhookHandlers } from './webhooks/webhooks.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
  ...absenceHandlers,
  ...adminHandlers,
  ...assigneeHandlers,
  ...bookableHandlers,
  ...bookableRowHandlers,
  ...singleBookableHandlers,
  ...bookingHandlers,
  ...bookingRequestHandlers,
  ...calendarHandlers,
  ...closingHandlers,
  ...codeHandlers,
  ...deviceHandlers,
  ...eventAnswerHandlers,
  ...eventCheckInHandlers,
  ...eventHandlers,
  ...eventSeriesHandlers,
  ...fromBookingHandlers,
  ...groupHandlers,
  ...teamDayHandlers,
  ...newBookingHandlers,
  ...loanHandlers,
  ...peopleHandlers,
  ...placeHandlers,
  ...releaseHandlers,
  ...roomCalendarHandlers,
  ...roomCalendarLinkHandlers,
  ...roomCalendarNoticeHandlers,
  ...ruleHandlers,
  ...scimGroupHandlers,
  ...scimUserHandlers,
  ...screenHandlers,
  ...seriesHandlers,
  ...swapHandlers,
  ...workDayHandlers,
  ...tokenHandlers,
  ...undoHandlers,
  ...userHandlers,
  ...handOverHandlers,
  ...vehicleHandlers,
  ...visitorHandlers,
  ...waitlistHandlers,
  ...webhookDeliveryHandlers,
  ...webhookHandlers,
  'bookables.apply-import-plan': applyBookableImport,
  'bookables.export-refused': exportRefusedRows('bookables'),
  'bookables.plan-import': planBookableImport,
  'bookings.export': exportBookings,
  'bookings.export-affected': exportAffectedPeople,
  'reports.export': exportReport,
  'users.apply-import-plan': applyImportPlan,
  'users.export': exportUsers,
  'users.export-refused': exportRefusedRows('users'),
  'users.import': importUsers,
  'users.plan-import': planImport,
}

export const batchHandlers = {
  'bookings.check-in': bookingCheckIns,
  'bookings.create': createBookings,
  'bookings.create-open': createBookings,
  'bookings.delete': bookingDeletions,
  'bookings.move': bookingMoves,
  'bookings.update': bookingUpdates,
  'events.answer': eventAnswers,
  'events.cancel': eventCancellations,
  'events.check-in': eventCheckIns,
  'events.create': eventCreations,
  'events.delete': eventDeletions,
  'events.replace': eventReplacements,
  'events.update': eventUpdates,
} satisfies Partial<Record<JobName, unknown>>

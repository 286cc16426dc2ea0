// Maps jobs to handlers; one without a handler does not compile. Frequent jobs have a batch handler too.
import type { JobName } from '../../shared/jobs/jobs.ts'
import type { Handler } from '../runtime/write.ts'
import { adminHandlers } from './administrators/admins.ts'
import { assigneeHandlers } from './bookables/assignees.ts'
import { bookableHandlers } from './bookables/changes.ts'
import { codeHandlers } from './bookables/codes.ts'
import { bookableRowHandlers } from './bookables/creations.ts'
import { applyBookableImport, planBookableImport } from './bookables/imports.ts'
import { singleBookableHandlers } from './bookables/single.ts'
import { bookingRequestHandlers } from './booking-requests/booking-requests.ts'
import { bookingHandlers, checkIns, deletions } from './bookings/bookings.ts'
import { moves, updates } from './bookings/changes.ts'
import { createBookings, newBookingHandlers } from './bookings/creations.ts'
import { releaseHandlers } from './bookings/releases.ts'
import { seriesHandlers } from './bookings/series.ts'
import { swapHandlers } from './bookings/swaps.ts'
import { eventCheckInHandlers, eventCheckIns } from './events/check-ins.ts'
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
import { peopleHandlers } from './people/people.ts'
import { closingHandlers } from './places/close-places.ts'
import { placeHandlers } from './places/places.ts'
import { ruleHandlers } from './places/set-rules.ts'
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
import { waitHandlers } from './waits/waits.ts'
import { webhookDeliveryHandlers, webhookHandlers } from './webhooks/webhooks.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
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
  ...eventCheckInHandlers,
  ...eventHandlers,
  ...fromBookingHandlers,
  ...groupHandlers,
  ...newBookingHandlers,
  ...peopleHandlers,
  ...placeHandlers,
  ...releaseHandlers,
  ...ruleHandlers,
  ...scimGroupHandlers,
  ...scimUserHandlers,
  ...screenHandlers,
  ...seriesHandlers,
  ...swapHandlers,
  ...tokenHandlers,
  ...undoHandlers,
  ...userHandlers,
  ...vehicleHandlers,
  ...visitorHandlers,
  ...waitHandlers,
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
  'bookings.check-in': checkIns,
  'bookings.create': createBookings,
  'bookings.create-open': createBookings,
  'bookings.delete': deletions,
  'bookings.move': moves,
  'bookings.update': updates,
  'events.cancel': eventCancellations,
  'events.check-in': eventCheckIns,
  'events.create': eventCreations,
  'events.delete': eventDeletions,
  'events.replace': eventReplacements,
  'events.update': eventUpdates,
} satisfies Partial<Record<JobName, unknown>>

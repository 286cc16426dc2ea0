// The pages of the dashboard, in the order of the navigation.

import type { Page } from '../pages/page/page.ts'
import { adminSetupPage, choosePasswordPage } from './account/link-pages.ts'
import { accountSettingsPage } from './account/settings.ts'
import { dashboardSignOutPage, signInPage } from './account/sign-in.ts'
import { administratorPage, inviteAdministratorPage } from './administrators/administrator.ts'
import { administratorsPage } from './administrators/administrator-list.ts'
import { affectedPeoplePage } from './affected-bookings/affected-people.ts'
import { auditEntryPage } from './audit-log/audit-entry.ts'
import { auditLogPage } from './audit-log/audit-log.ts'
import { undoEntryPage } from './audit-log/undo-entry.ts'
import { addBookablesPage } from './bookables/add-bookables.ts'
import { assignBookablePage, blockBookablePage } from './bookables/block-or-assign-bookable.ts'
import {
  bookableClosePage,
  bookableHistoryPage,
  bookablePage,
  bookableRulesPage,
} from './bookables/bookable.ts'
import { changeBookablesPage, deleteBookablesPage } from './bookables/change-bookables.ts'
import { reviewBookableImport, startBookableImport } from './bookables/imports.ts'
import { bookingPage } from './bookings/booking.ts'
import { bookingsPage } from './bookings/bookings.ts'
import { cancelSelectedBookingsPage } from './bookings/cancel-bookings.ts'
import { cancelBookingPage, moveBookingPage } from './bookings/move-booking.ts'
import { newBookingPage } from './bookings/new-booking.ts'
import { bookingRequestPage, bookingRequestsPage } from './bookings/requests.ts'
import { swapBookingsPage } from './bookings/swap-bookings.ts'
import { testBookingPage } from './bookings/test-booking.ts'
import { waitlistPage } from './bookings/waitlist.ts'
import {
  buildingClosePage,
  buildingDetailsPage,
  buildingHistoryPage,
  buildingPage,
  buildingRulesPage,
  deleteBuildingPage,
  newBuildingPage,
} from './buildings/buildings.ts'
import { placesPage } from './buildings/places.ts'
import { revokeCalendarPage } from './calendars/calendars.ts'
import { dayPage } from './day/day.ts'
import { cancelEventPage, changeEventPage, newEventPage } from './events/edit-event.ts'
import { eventPage, eventsPage } from './events/event.ts'
import { searchPage } from './find/find.ts'
import { closeOnHolidaysPage } from './holidays/close-on-holidays.ts'
import { locationCodesPage } from './locations/codes.ts'
import { locationPage } from './locations/location.ts'
import {
  floorPlanPage,
  locationClosePage,
  locationDetailsPage,
  locationHistoryPage,
  locationRulesPage,
} from './locations/location-tabs.ts'
import { copyLocationPage, deleteLocationPage, newLocationPage } from './locations/locations.ts'
import { arrangeFloorPlanPage } from './map/arrange-floor-plan.ts'
import { mapPage } from './map/map.ts'
import { cancelPeriodPage } from './people/cancel-period.ts'
import {
  deactivateUserPage,
  eraseUserPage,
  releaseAllBookingsPage,
  releaseUserBookingsPage,
} from './people/deactivate-user.ts'
import { deactivatedUsersPage } from './people/deactivated-users.ts'
import { editUserPage, newUserPage } from './people/edit-user.ts'
import { groupPage } from './people/group.ts'
import { groupsPage } from './people/groups.ts'
import { handOverPage } from './people/hand-over.ts'
import { reviewUserImport, startUserImport } from './people/imports.ts'
import { releaseProgressPage } from './people/release-progress.ts'
import { signInLinkPage } from './people/sign-in-link.ts'
import { userPage } from './people/user.ts'
import { usersPage } from './people/users.ts'
import { jobPage, removeJobPage } from './queues/job.ts'
import { pauseQueuePage, queuePage, removeFailedJobsPage, retryFailedJobsPage } from './queues/queue.ts'
import { queueHealthPage } from './queues/queue-health.ts'
import { monthlyReportPage } from './reports/monthly-report.ts'
import { reportsPage } from './reports/reports.ts'
import { whoCamePage } from './reports/who-came.ts'
import { calendarConflictsPage } from './room-calendars/conflicts.ts'
import { createRoomsPage, linkRoomPage, unlinkRoomPage } from './room-calendars/link-pages.ts'
import { roomCalendarsPage } from './room-calendars/room-calendars.ts'
import { newScreenPage } from './screens/new-screen.ts'
import { revokeScreenPage, screenPage } from './screens/screen.ts'
import { screensPage } from './screens/screens.ts'
import { todayPage } from './today/today.ts'
import { connectProgramPage } from './tokens/device.ts'
import { tokensPage } from './tokens/token-list.ts'
import { newTokenPage, revokeTokenPage, rotateTokenPage } from './tokens/token-pages.ts'
import { tokenRequestsPage } from './tokens/token-requests.ts'
import { visitorsPage } from './visitors/visitors.ts'
import { deliveryPage } from './webhooks/deliveries.ts'
import { webhookPage } from './webhooks/webhook.ts'
import { deleteWebhookPage, newWebhookPage, webhooksPage } from './webhooks/webhooks.ts'

/** app.ts adds the API page, because only app.ts knows the endpoints. */
export const pages: Page[] = [
  todayPage,
  searchPage,
  placesPage,
  newBuildingPage,
  buildingPage,
  deleteBuildingPage,
  closeOnHolidaysPage,
  newLocationPage,
  locationPage,
  copyLocationPage,
  deleteLocationPage,
  addBookablesPage,
  bookablePage,
  blockBookablePage,
  assignBookablePage,
  changeBookablesPage,
  deleteBookablesPage,
  startBookableImport,
  reviewBookableImport,
  buildingClosePage,
  buildingRulesPage,
  buildingDetailsPage,
  buildingHistoryPage,
  floorPlanPage,
  locationClosePage,
  locationRulesPage,
  locationDetailsPage,
  locationHistoryPage,
  locationCodesPage,
  bookableClosePage,
  bookableRulesPage,
  bookableHistoryPage,
  screensPage,
  newScreenPage,
  screenPage,
  revokeScreenPage,
  mapPage,
  arrangeFloorPlanPage,
  dayPage,
  bookingsPage,
  newBookingPage,
  testBookingPage,
  bookingPage,
  bookingRequestsPage,
  bookingRequestPage,
  waitlistPage,
  moveBookingPage,
  cancelBookingPage,
  cancelSelectedBookingsPage,
  swapBookingsPage,
  affectedPeoplePage,
  eventsPage,
  newEventPage,
  eventPage,
  changeEventPage,
  cancelEventPage,
  visitorsPage,
  usersPage,
  newUserPage,
  userPage,
  signInLinkPage,
  editUserPage,
  cancelPeriodPage,
  groupsPage,
  groupPage,
  deactivateUserPage,
  eraseUserPage,
  deactivatedUsersPage,
  handOverPage,
  releaseUserBookingsPage,
  releaseAllBookingsPage,
  releaseProgressPage,
  startUserImport,
  reviewUserImport,
  revokeCalendarPage,
  reportsPage,
  monthlyReportPage,
  whoCamePage,
  queueHealthPage,
  queuePage,
  pauseQueuePage,
  retryFailedJobsPage,
  removeFailedJobsPage,
  jobPage,
  removeJobPage,
  auditLogPage,
  auditEntryPage,
  undoEntryPage,
  accountSettingsPage,
  tokensPage,
  newTokenPage,
  revokeTokenPage,
  rotateTokenPage,
  tokenRequestsPage,
  connectProgramPage,
  webhooksPage,
  newWebhookPage,
  webhookPage,
  deleteWebhookPage,
  deliveryPage,
  roomCalendarsPage,
  calendarConflictsPage,
  linkRoomPage,
  createRoomsPage,
  unlinkRoomPage,
  administratorsPage,
  inviteAdministratorPage,
  administratorPage,
  signInPage,
  dashboardSignOutPage,
  adminSetupPage,
  choosePasswordPage,
]

// The table of contents of the dashboard: every page, in the order of the navigation.

import type { Page } from '../pages/page/page.ts'
import { choosePassword, setup } from './account/link-pages.ts'
import { settings } from './account/settings.ts'
import { signIn, signOut } from './account/sign-in.ts'
import { administrator, inviteAdministrator } from './administrators/administrator.ts'
import { administrators } from './administrators/administrator-list.ts'
import { affectedPeople } from './affected-bookings/affected-people.ts'
import { auditEntry } from './audit-log/audit-entry.ts'
import { auditLog } from './audit-log/audit-log.ts'
import { undoEntry } from './audit-log/undo-entry.ts'
import { addBookables } from './bookables/add-bookables.ts'
import { assignBookable, blockBookable } from './bookables/block-or-assign-bookable.ts'
import { bookable, bookableHistory, bookableRules } from './bookables/bookable.ts'
import { changeBookables, deleteBookables } from './bookables/change-bookables.ts'
import { reviewBookableImport, startBookableImport } from './bookables/imports.ts'
import { booking } from './bookings/booking.ts'
import { bookings } from './bookings/bookings.ts'
import { cancelSelected } from './bookings/cancel-bookings.ts'
import { cancelBooking, moveBooking } from './bookings/move-booking.ts'
import { newBooking } from './bookings/new-booking.ts'
import { bookingRequest, bookingRequests } from './bookings/requests.ts'
import { swapBookings } from './bookings/swap-bookings.ts'
import { testBooking } from './bookings/test-booking.ts'
import { waitlist } from './bookings/waitlist.ts'
import {
  building,
  buildingDetails,
  buildingHistory,
  buildingRules,
  deleteBuilding,
  newBuilding,
} from './buildings/buildings.ts'
import { places } from './buildings/places.ts'
import { revokeCalendar } from './calendars/calendars.ts'
import { day } from './day/day.ts'
import { cancelEvent, changeEvent, newEvent } from './events/edit-event.ts'
import { event, events } from './events/event.ts'
import { find } from './find/find.ts'
import { closeOnHolidays } from './holidays/close-on-holidays.ts'
import { locationCodes } from './locations/codes.ts'
import { location } from './locations/location.ts'
import { locationDetails, locationHistory, locationPlan, locationRules } from './locations/location-tabs.ts'
import { copyLocation, deleteLocation, newLocation } from './locations/locations.ts'
import { arrangeFloorPlan } from './map/arrange-floor-plan.ts'
import { map } from './map/map.ts'
import { cancelPeriod } from './people/cancel-period.ts'
import {
  deactivateUser,
  eraseUser,
  releaseAllBookings,
  releaseUserBookings,
} from './people/deactivate-user.ts'
import { deactivatedUsers } from './people/deactivated-users.ts'
import { editUser, newUser } from './people/edit-user.ts'
import { reviewUserImport, startUserImport } from './people/imports.ts'
import { releaseProgress } from './people/release-progress.ts'
import { signInLink } from './people/sign-in-link.ts'
import { user } from './people/user.ts'
import { groups, users } from './people/users.ts'
import { jobPage, removeJob } from './queues/job.ts'
import { pauseQueue, queuePage, removeFailedJobs, retryFailedJobs } from './queues/queue.ts'
import { queueHealth } from './queues/queue-health.ts'
import { monthlyReport } from './reports/monthly-report.ts'
import { reports } from './reports/reports.ts'
import { newScreen } from './screens/new-screen.ts'
import { revokeScreen, screen } from './screens/screen.ts'
import { screens } from './screens/screens.ts'
import { today } from './today/today.ts'
import { device } from './tokens/device.ts'
import { tokenList } from './tokens/token-list.ts'
import { newToken, revokeToken, rotateToken } from './tokens/token-pages.ts'
import { tokenRequests } from './tokens/token-requests.ts'
import { visitors } from './visitors/visitors.ts'
import { delivery } from './webhooks/deliveries.ts'
import { webhook } from './webhooks/webhook.ts'
import { deleteWebhook, newWebhook, webhooks } from './webhooks/webhooks.ts'

/** app.ts adds the API's page, because it knows the endpoints. */
export const pages: Page[] = [
  today,
  find,
  places,
  newBuilding,
  building,
  deleteBuilding,
  closeOnHolidays,
  newLocation,
  location,
  copyLocation,
  deleteLocation,
  addBookables,
  bookable,
  blockBookable,
  assignBookable,
  changeBookables,
  deleteBookables,
  startBookableImport,
  reviewBookableImport,
  buildingRules,
  buildingDetails,
  buildingHistory,
  locationPlan,
  locationRules,
  locationDetails,
  locationHistory,
  locationCodes,
  bookableRules,
  bookableHistory,
  screens,
  newScreen,
  screen,
  revokeScreen,
  map,
  arrangeFloorPlan,
  day,
  bookings,
  newBooking,
  testBooking,
  booking,
  bookingRequests,
  bookingRequest,
  waitlist,
  moveBooking,
  cancelBooking,
  cancelSelected,
  swapBookings,
  affectedPeople,
  events,
  newEvent,
  event,
  changeEvent,
  cancelEvent,
  visitors,
  users,
  newUser,
  user,
  signInLink,
  editUser,
  cancelPeriod,
  groups,
  deactivateUser,
  eraseUser,
  deactivatedUsers,
  releaseUserBookings,
  releaseAllBookings,
  releaseProgress,
  startUserImport,
  reviewUserImport,
  revokeCalendar,
  reports,
  monthlyReport,
  queueHealth,
  queuePage,
  pauseQueue,
  retryFailedJobs,
  removeFailedJobs,
  jobPage,
  removeJob,
  auditLog,
  auditEntry,
  undoEntry,
  settings,
  tokenList,
  newToken,
  revokeToken,
  rotateToken,
  tokenRequests,
  device,
  webhooks,
  newWebhook,
  webhook,
  deleteWebhook,
  delivery,
  administrators,
  inviteAdministrator,
  administrator,
  signIn,
  signOut,
  setup,
  choosePassword,
]

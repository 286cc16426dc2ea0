// People's own pages as a web site, at /my, for everybody in the company.

import { UNDONE_TOGETHER_MAX } from '../../../shared/undo/undo.ts'
import { findUndoable } from '../../reads/audit-log/find-undoable.ts'
import { limitPool } from '../../reads/limits/person-pool.ts'
import { FLOOR_PLAN_PATH, sendFloorPlan } from '../pages/map/floor-plan-pictures.ts'
import type { Site } from '../pages/page/context.ts'
import { PERSON_PICTURE_PATH, sendPersonPicture } from '../pages/page/person-pictures.ts'
import { START_PATH } from '../pages/page/redirect-browsers.ts'
import { CALLBACK_PATH, finishSignIn } from '../pages/site/finish-sign-in.ts'
import { redirectToSite } from '../pages/site/start-here.ts'
import { MANIFEST_PATH, sendManifest } from '../pages/site/web-app-manifest.ts'
import { DASHBOARD_PATH, MY_PAGES_PATH } from '../sessions/addresses.ts'
import { answerByLinkPage } from './answer-by-link.ts'
import { deskCodePage } from './at-desk.ts'
import { awayPage } from './away/away.ts'
import { bookPage } from './book/book.ts'
import { bookInsteadPage } from './book/book-instead.ts'
import { bookSeatPage } from './book/book-seat.ts'
import { rewordRefusalForPerson } from './book/reword-refusal.ts'
import { bookingPage } from './bookings/booking.ts'
import { bookingCalendarPage, meetingCalendarPage } from './bookings/calendar-file.ts'
import { inviteToMeetingPage } from './bookings/invite.ts'
import { colleaguePage } from './colleague.ts'
import { decideByLinkPage } from './decide-by-link.ts'
import { profilePage } from './me.ts'
import { meetingPage } from './meeting.ts'
import { myDayPage } from './my-day.ts'
import { peoplePage } from './people.ts'
import { findSignedInPerson, SESSION_SECONDS } from './person-sessions.ts'
import { showPhoneFrame } from './phone-frame.ts'
import { requestsPage } from './requests.ts'
import { mySignOutPage, signInLinkPage, signInPage, startPersonSession } from './sign-in.ts'
import { undoPage } from './undo.ts'
import { joinWaitlistPage, waitlistsPage } from './waits.ts'
import { myWeekPage } from './week/my-week.ts'
import { teamWeekPage } from './week/team-week.ts'

// No user has this id. It limits the reads of pages that need no session, such as those behind links in mails.
const NOBODY_ID = 0

export const peopleSite: Site = {
  base: MY_PAGES_PATH,
  kind: 'people',
  pages: [
    deskCodePage,
    myWeekPage,
    teamWeekPage,
    myDayPage,
    bookPage,
    bookSeatPage,
    bookInsteadPage,
    meetingPage,
    meetingCalendarPage,
    bookingPage,
    bookingCalendarPage,
    inviteToMeetingPage,
    waitlistsPage,
    joinWaitlistPage,
    requestsPage,
    decideByLinkPage,
    answerByLinkPage,
    peoplePage,
    colleaguePage,
    profilePage,
    awayPage,
    undoPage,
    signInPage,
    signInLinkPage,
    mySignOutPage,
  ],
  async findSignedIn({ reserved }, secret) {
    const person = await findSignedInPerson(reserved.authentication, secret)
    return person && { person }
  },
  sessionSeconds: SESSION_SECONDS,
  limitReads: ({ people }, { person }) => limitPool(people, person?.id ?? NOBODY_ID),
  wordRefusal: (refusal, { reads }) => rewordRefusalForPerson(refusal, reads),
  signsInByMail: true,
  showFrame: showPhoneFrame,
  async findUndo({ state }, { person }, { primary }) {
    if (!person || !state.attempt) return {}
    const attempts = [state.attempt, ...(state.undoneTogether ?? [])]
    if (attempts.length > 1 + UNDONE_TOGETHER_MAX) return {}
    const found = await Promise.all(attempts.map((attempt) => findUndoable(primary, attempt)))
    const [undo, ...undoAlso] = found.filter((entry) => entry !== undefined)
    // Offers undo for an action only if all of it can be undone.
    return undoAlso.length + 1 === attempts.length ? { undo, undoAlso } : {}
  },
  addRoutes(add, context) {
    const { provider } = context
    add(START_PATH, (ctx) => redirectToSite(ctx, context, DASHBOARD_PATH + START_PATH))
    add(MANIFEST_PATH, (ctx) => sendManifest(ctx, context))
    add(FLOOR_PLAN_PATH, (ctx) => sendFloorPlan(ctx, context))
    add(PERSON_PICTURE_PATH, (ctx) => sendPersonPicture(ctx, context))
    if (provider)
      add(CALLBACK_PATH, (ctx) =>
        finishSignIn(ctx, context, provider, startPersonSession(context, provider.label)),
      )
  },
}

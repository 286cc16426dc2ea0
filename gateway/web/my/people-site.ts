// The people's own pages as a site: everybody in the company, at /my.

import { UNDONE_TOGETHER_MAX } from '../../../shared/undo/undo.ts'
import { findUndoable } from '../../reads/audit-log/find-undoable.ts'
import { limitPool } from '../../reads/limits/person-pool.ts'
import { FLOOR_PLAN_PATH, sendFloorPlan } from '../pages/map/floor-plan-pictures.ts'
import type { Site } from '../pages/page/context.ts'
import { START_PATH } from '../pages/page/redirect-browsers.ts'
import { CALLBACK_PATH, finishSignIn } from '../pages/site/finish-sign-in.ts'
import { startHere } from '../pages/site/start-here.ts'
import { DASHBOARD, MY } from '../sessions/addresses.ts'
import { atDesk } from './at-desk.ts'
import { book } from './book/book.ts'
import { bookInstead } from './book/book-instead.ts'
import { bookSeat } from './book/book-seat.ts'
import { inOwnWords } from './book/own-words.ts'
import { booking } from './booking.ts'
import { colleague } from './colleague.ts'
import { decideByLink } from './decide-by-link.ts'
import { me } from './me.ts'
import { invite, meeting } from './meeting.ts'
import { myDay } from './my-day.ts'
import { people } from './people.ts'
import { findPerson, SESSION_SECONDS } from './person-sessions.ts'
import { showPhoneFrame } from './phone-frame.ts'
import { requests } from './requests.ts'
import { signIn, signInLink, signOut, startPersonSession } from './sign-in.ts'
import { undo } from './undo.ts'
import { newWait, waits } from './waits.ts'

export const peopleSite: Site = {
  base: MY,
  kind: 'people',
  pages: [
    atDesk,
    myDay,
    book,
    bookSeat,
    bookInstead,
    meeting,
    booking,
    invite,
    waits,
    newWait,
    requests,
    decideByLink,
    people,
    colleague,
    me,
    undo,
    signIn,
    signInLink,
    signOut,
  ],
  async findSignedIn({ reserved }, secret) {
    const person = await findPerson(reserved.authentication, secret)
    return person && { person }
  },
  sessionSeconds: SESSION_SECONDS,
  limitReads: ({ people }, { person }) => (person ? limitPool(people, person.id) : people),
  wordRefusal: (refusal, { reads }) => inOwnWords(refusal, reads),
  signsInByMail: true,
  showFrame: showPhoneFrame,
  async findUndo({ state }, { person }, { primary }) {
    if (!person || !state.attempt) return {}
    const attempts = [state.attempt, ...(state.undoneTogether ?? [])]
    if (attempts.length > 1 + UNDONE_TOGETHER_MAX) return {}
    const found = await Promise.all(attempts.map((attempt) => findUndoable(primary, attempt)))
    const [undo, ...undoAlso] = found.filter((entry) => entry !== undefined)
    // Half of an action is never undone.
    return undoAlso.length + 1 === attempts.length ? { undo, undoAlso } : {}
  },
  addRoutes(add, context) {
    const { provider } = context
    add(START_PATH, (ctx) => startHere(ctx, context, DASHBOARD + START_PATH))
    add(FLOOR_PLAN_PATH, (ctx) => sendFloorPlan(ctx, context))
    if (provider)
      add(CALLBACK_PATH, (ctx) =>
        finishSignIn(ctx, context, provider, startPersonSession(context, provider.label)),
      )
  },
}

// The dashboard as a web site: defines who may use it, and which files it serves besides its pages.

import type { Config } from '../../../shared/settings/config.ts'
import { findUndoable } from '../../reads/audit-log/find-undoable.ts'
import { FLOOR_PLAN_PATH, sendFloorPlan } from '../pages/map/floor-plan-pictures.ts'
import type { Site } from '../pages/page/context.ts'
import type { Page } from '../pages/page/page.ts'
import { PERSON_PICTURE_PATH, sendPersonPicture } from '../pages/page/person-pictures.ts'
import { START_PATH } from '../pages/page/redirect-browsers.ts'
import { SECTIONS } from '../pages/page/sections.ts'
import { CALLBACK_PATH, finishSignIn } from '../pages/site/finish-sign-in.ts'
import { redirectToSite } from '../pages/site/start-here.ts'
import { showLayout } from '../pages/ui/layout.ts'
import { DASHBOARD_PATH, findMovedPath, findRootPath, linkTo, MY_PAGES_PATH } from '../sessions/addresses.ts'
import { findSignedInAdmin, SESSION_SECONDS_MAX } from '../sessions/sessions.ts'
import { showResubmitForm } from './account/resubmit-form.ts'
import { startAdminSession } from './account/start-admin-session.ts'
import { IMPORT_TEMPLATE_PATH, sendImportTemplate } from './bookables/imports.ts'

export const dashboardOf = (pages: Page[], config: Config): Site => ({
  base: DASHBOARD_PATH,
  kind: 'dashboard',
  pages,
  async findSignedIn({ reserved }, secret) {
    const admin = await findSignedInAdmin(reserved.authentication, secret)
    return admin && { admin }
  },
  sessionSeconds: SESSION_SECONDS_MAX,
  showFrame: (frame) =>
    showLayout({
      ...frame,
      email: frame.viewer?.admin?.email,
      myDay: config.peoplePages ? linkTo(findRootPath(config) + MY_PAGES_PATH, '/') : undefined,
      sections: SECTIONS.filter(({ path }) => pages.some((each) => each.path === path)),
    }),
  addRoutes(add, context) {
    add(FLOOR_PLAN_PATH, (ctx) => sendFloorPlan(ctx, context))
    add(PERSON_PICTURE_PATH, (ctx) => sendPersonPicture(ctx, context))
    add(IMPORT_TEMPLATE_PATH, (ctx) => sendImportTemplate(ctx, context))
    const { provider, services } = context
    const others = services.config.peoplePages ? MY_PAGES_PATH : DASHBOARD_PATH
    add(START_PATH, (ctx) => redirectToSite(ctx, context, `${others}/sign-in`))
    if (provider)
      add(CALLBACK_PATH, (ctx) => finishSignIn(ctx, context, provider, startAdminSession(context, provider)))
  },
  findMovedPath,
  async findUndo({ state }, { admin }, { primary }) {
    return admin && state.attempt ? { undo: await findUndoable(primary, state.attempt) } : {}
  },
  keepForm: showResubmitForm,
})

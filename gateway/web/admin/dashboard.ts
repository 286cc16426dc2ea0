// The dashboard as a site: who may use it, and which files it serves besides its pages.

import type { Config } from '../../../shared/settings/config.ts'
import { findUndoable } from '../../reads/audit-log/find-undoable.ts'
import { FLOOR_PLAN_PATH, sendFloorPlan } from '../pages/map/floor-plan-pictures.ts'
import type { Site } from '../pages/page/context.ts'
import type { Page } from '../pages/page/page.ts'
import { START_PATH } from '../pages/page/redirect-browsers.ts'
import { SECTIONS } from '../pages/page/sections.ts'
import { CALLBACK_PATH, finishSignIn } from '../pages/site/finish-sign-in.ts'
import { startHere } from '../pages/site/start-here.ts'
import { layout } from '../pages/ui/layout.ts'
import { DASHBOARD, linkTo, MY, movedPath, rootPath } from '../sessions/addresses.ts'
import { findAdmin, SESSION_SECONDS_MAX } from '../sessions/sessions.ts'
import { showResubmitForm } from './account/resubmit-form.ts'
import { startAdminSession } from './account/start-admin-session.ts'
import { sendTemplate, TEMPLATE_PATH } from './bookables/imports.ts'

export const dashboardOf = (pages: Page[], config: Config): Site => ({
  base: DASHBOARD,
  kind: 'dashboard',
  pages,
  async findSignedIn({ reserved }, secret) {
    const admin = await findAdmin(reserved.authentication, secret)
    return admin && { admin }
  },
  sessionSeconds: SESSION_SECONDS_MAX,
  showFrame: (frame) =>
    layout({
      ...frame,
      email: frame.viewer?.admin?.email,
      myDay: config.peoplePages ? linkTo(rootPath(config) + MY, '/') : undefined,
      sections: SECTIONS.filter(({ path }) => pages.some((each) => each.path === path)),
    }),
  addRoutes(add, context) {
    add(FLOOR_PLAN_PATH, (ctx) => sendFloorPlan(ctx, context))
    add(TEMPLATE_PATH, (ctx) => sendTemplate(ctx, context))
    const { provider, services } = context
    const others = services.config.peoplePages ? MY : DASHBOARD
    add(START_PATH, (ctx) => startHere(ctx, context, `${others}/sign-in`))
    if (provider)
      add(CALLBACK_PATH, (ctx) => finishSignIn(ctx, context, provider, startAdminSession(context, provider)))
  },
  movedPath,
  async findUndo({ state }, { admin }, { primary }) {
    return admin && state.attempt ? { undo: await findUndoable(primary, state.attempt) } : {}
  },
  keepForm: showResubmitForm,
})

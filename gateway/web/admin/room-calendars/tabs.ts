// The tabs of Settings → Calendars: the rooms, and the conflicts.
import type { Html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Breadcrumbs, Call } from '../../pages/page/page.ts'
import { showPageTabs } from '../../pages/ui/tabs.ts'

export const CALENDARS_PATH = '/settings/calendars'
export const CONFLICTS_PATH = `${CALENDARS_PATH}/conflicts`

export const settingsBreadcrumbs = (): Breadcrumbs => [[t`Settings`, '/settings']]
export const calendarsBreadcrumbs = (): Breadcrumbs => [
  ...settingsBreadcrumbs(),
  [t`Calendars`, CALENDARS_PATH],
]

export function showCalendarTabs(call: Call, current: string, conflicts?: number): Html {
  return showPageTabs(t`Calendars`, [
    { label: t`Rooms`, address: call.link(CALENDARS_PATH), isCurrent: current === CALENDARS_PATH },
    {
      label: t`Conflicts`,
      address: call.link(CONFLICTS_PATH),
      isCurrent: current === CONFLICTS_PATH,
      ...(conflicts !== undefined && { count: conflicts }),
    },
  ])
}

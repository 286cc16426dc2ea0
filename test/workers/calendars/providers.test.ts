// What every calendar provider promises, whichever it is: test servers of Microsoft 365 and Google, and Debian's radicale.
import { describeWithRadicale } from '../../support/calendars/caldav-servers.ts'
import { describeProvider } from './describe-provider.ts'
import { openCalDav, openGoogle, openMicrosoft } from './provider-worlds.ts'

describeProvider('Microsoft 365', openMicrosoft)
describeProvider('Google Workspace', openGoogle)
describeWithRadicale('calendars of CalDAV', () => describeProvider('CalDAV', openCalDav))

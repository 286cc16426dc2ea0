// Runs the suite of calendar providers with a second CalDAV server, so that the adapter does not only fit the first one. Needs Debian's
// xandikos.
import { Xandikos } from '../support/calendars/caldav-servers.ts'
import { describeProvider } from '../workers/calendars/describe-provider.ts'
import { openCalDavWith } from '../workers/calendars/provider-worlds.ts'
import { findProgram } from './stage/programs.ts'

const open = () => openCalDavWith(new Xandikos(findProgram('xandikos', 'xandikos')))

describeProvider('a second CalDAV server', open, { hasPasswords: false, forgetsPositions: false })

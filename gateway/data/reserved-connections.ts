// Connections of the gateway that reads cannot use: for authentication, for the outcome of writes, and for
// readiness. Without them all of that would wait behind reads, just when there are too many.
import type pg from 'pg'
import { connectQuickPool } from './read-connections.ts'

export const RESERVED_CONNECTIONS = {
  /** Tokens and sessions. */
  authentication: 2,
  /** Receipts and accepted jobs. Calling an attempt off may have to wait for its worker. */
  receipts: 4,
  /** Readiness, and the occasional queries of the process itself. */
  operations: 1,
}

export type ReservedConnections = Record<keyof typeof RESERVED_CONNECTIONS, pg.Pool>

export function openReservedConnections(primaryUrl: string): ReservedConnections {
  const open = (name: keyof ReservedConnections) =>
    connectQuickPool(primaryUrl, {
      applicationName: `berth-${name}`,
      connectionsMax: RESERVED_CONNECTIONS[name],
    })
  return {
    authentication: open('authentication'),
    receipts: open('receipts'),
    operations: open('operations'),
  }
}

// Disconnects a client that reads nothing of an answer that is ready: Node would keep the answer and the
// connection for ever.
import type { Server } from 'node:http'

export function cutUnreadAnswers(server: Server, idleMs: number) {
  server.on('request', (_request, response) => {
    // Runs if nothing has passed for this long, including the bytes of one large piece. Most often there is
    // simply nothing to send yet; then the connection stays, and this runs again after the next byte.
    response.setTimeout(idleMs, () => {
      const { socket } = response
      if (socket && socket.writableLength > 0) socket.destroy()
    })
  })
}

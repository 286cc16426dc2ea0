// Cuts off whoever reads nothing of an answer that lies ready: Node would keep it, and the connection, for ever.
import type { Server } from 'node:http'

export function cutUnreadAnswers(server: Server, idleMs: number) {
  server.on('request', (_request, response) => {
    // Called where nothing has passed for so long, the bytes of one large piece included. Most often that is because
    // there is nothing to send yet: then it goes on, and is called again after the next byte.
    response.setTimeout(idleMs, () => {
      const { socket } = response
      if (socket && socket.writableLength > 0) socket.destroy()
    })
  })
}

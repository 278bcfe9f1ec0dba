/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

#include "picture.h"
#include "say.h"
#include "show.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { REQUEST = 4096 };

static bool write_metrics(const struct session *session, FILE *out)
{
    struct picture picture;

    if (!picture_take(session, &picture))
        return false;
    show_prometheus(out, &picture);
    picture_release(&picture);
    return true;
}

static bool write_file(const struct session *session, const char *path)
{
    char first[4200];
    FILE *file;
    bool fine;

    snprintf(first, sizeof(first), "%s.%d", path, (int)getpid());
    file = fopen(first, "we");
    if (!file)
        return say("%s: %s", first, strerror(errno));
    fine = write_metrics(session, file);
    if (fclose(file) != 0 || (fine && rename(first, path) != 0))
        fine = say("%s: %s", path, strerror(errno));
    if (!fine)
        unlink(first);
    return fine;
}

static bool send_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* One request for one connection. Who sends nothing for a second is left. */
static void answer(const struct session *session, int fd)
{
    const struct timeval patience = {.tv_sec = 1};
    char request[REQUEST] = "", head[160];
    char *text = NULL;
    size_t length = 0, got = 0;
    FILE *memory;
    bool found;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    while (got < sizeof(request) - 1 && !strstr(request, "\r\n\r\n")) {
        ssize_t n = recv(fd, request + got, sizeof(request) - 1 - got, 0);

        if (n <= 0)
            return;
        got += (size_t)n;
        request[got] = '\0';
    }
    found = strncmp(request, "GET /metrics ", 13) == 0;
    memory = open_memstream(&text, &length);
    if (!memory)
        return;
    if (!found)
        fputs("this is sluice-trace: GET /metrics\n", memory);
    else
        write_metrics(session, memory);
    fclose(memory);
    snprintf(head, sizeof(head),
             "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n",
             found ? "200 OK" : "404 Not Found", length);
    if (send_all(fd, head, strlen(head)))
        send_all(fd, text, length);
    free(text);
}

static int listen_at(const char *where)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found = NULL;
    const char *colon = strrchr(where, ':');
    char host[256] = "127.0.0.1";
    int fd, yes = 1, error;

    if (!colon) {
        say("--prometheus %s: it takes HOST:PORT, :PORT, or a path with a slash", where);
        return -1;
    }
    if (colon > where)
        snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
    error = getaddrinfo(host, colon + 1, &hints, &found);
    if (error != 0) {
        say("--prometheus %s: %s", where, gai_strerror(error));
        return -1;
    }
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 16) != 0) {
        say("--prometheus %s: %s", where, strerror(errno));
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

static void wait_for(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds};

    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    nanosleep(&pause, NULL);
}

static bool serve_file(const struct session *session, const char *path, double interval,
                       const volatile sig_atomic_t *stop)
{
    while (!*stop) {
        if (!write_file(session, path))
            return false;
        wait_for(interval);
    }
    return write_file(session, path);
}

bool serve_metrics(const struct session *session, const char *where, double interval,
                   const volatile sig_atomic_t *stop)
{
    struct pollfd door = {.events = POLLIN};

    if (strchr(where, '/'))
        return serve_file(session, where, interval, stop);
    door.fd = listen_at(where);
    if (door.fd < 0)
        return false;
    while (!*stop) {
        int guest = poll(&door, 1, 200) > 0 ? accept(door.fd, NULL, NULL) : -1;

        if (guest >= 0) {
            answer(session, guest);
            close(guest);
        }
    }
    close(door.fd);
    return true;
}

/*
 * The operations that pushes and settlements need, served by one fast thread, so that benchmarks measure the client:
 * bulk creation (one job per entry), creation of single products, lists of products by originIds, rewards, and a payer
 * at /pay. Bodies are scanned, never parsed; ids are treated as plain text.
 *
 * fast-service [--latency MS] [--slow-above N] [--refuse-above N] [--rewards N]
 *
 * --latency: the delay of each reply. --slow-above: with n > N requests in flight, the delay is (n/N)^2 times as long.
 * --refuse-above: with N in flight, further requests get 429 at once. --rewards: the number of queued rewards, for one
 * review a day; GET /reset queues them again.
 *
 * Listens on loopback, prints its port, and ends when its standard input does. GET /stats returns its figures
 * and clears them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ENTRIES_MAXIMUM = 100, EVENTS = 256, FIRST_MAXIMUM = 100, READ_BYTES = 65536 };

typedef struct {
  char *bytes;
  size_t length, room;
} Buffer;

typedef struct {
  const char *start;
  size_t length;
} Text;

typedef struct Connection {
  int socket;
  Buffer in, out;
  size_t sent;
  /* The time at which a delayed reply is sent. */
  double due_ms;
  int is_waiting, is_closed;
} Connection;

typedef struct {
  Text method, path, query, body;
} Request;

static struct {
  double latency_ms;
  int slow_above, refuse_above, rewards;
} settings;

static struct {
  unsigned long requests, entries, refused, connections, most_in_flight;
  double cpu_seconds;
} stats;

static int poll_set;
static int in_flight;
static unsigned long made;

/* ---- text ---- */

static void append(Buffer *buffer, const char *bytes, size_t length) {
  if (buffer->length + length > buffer->room) {
    buffer->room = (buffer->length + length) * 2;
    buffer->bytes = realloc(buffer->bytes, buffer->room);
    if (buffer->bytes == NULL) abort();
  }
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

static void append_text(Buffer *buffer, Text text) { append(buffer, text.start, text.length); }

static void append_string(Buffer *buffer, const char *string) { append(buffer, string, strlen(string)); }

static void append_number(Buffer *buffer, unsigned long number) {
  char digits[24];
  append(buffer, digits, (size_t)snprintf(digits, sizeof digits, "%lu", number));
}

/* The text between `key` and the next `end`; length 0 if there is none. Sets `rest` to the text after it. */
static Text after(Text text, const char *key, char end, Text *rest) {
  Text none = {NULL, 0};
  const char *stop = text.start + text.length;
  const char *found = text.length == 0 ? NULL : memmem(text.start, text.length, key, strlen(key));
  if (found == NULL) return none;
  const char *start = found + strlen(key);
  const char *close = memchr(start, end, (size_t)(stop - start));
  if (close == NULL) return none;
  if (rest != NULL) *rest = (Text){close + 1, (size_t)(stop - close - 1)};
  return (Text){start, (size_t)(close - start)};
}

/* The JSON string of member `name` (with quotes), with any spacing; length 0 if there is none. */
static Text json_string(Text text, const char *name, Text *rest) {
  Text opened = {NULL, 0};
  after(text, name, '"', &opened);
  return after(opened, "", '"', rest);
}

static int is_text(Text text, const char *string) {
  return text.length == strlen(string) && memcmp(text.start, string, text.length) == 0;
}

static int ends_with(Text text, const char *string) {
  size_t length = strlen(string);
  return text.length >= length && memcmp(text.start + text.length - length, string, length) == 0;
}

/* ---- created products, by originId ---- */

typedef struct Product {
  Text origin_id, json;
  struct Product *next;
} Product;

enum { BUCKETS = 1 << 17 };
static Product *products[BUCKETS];

static Product **bucket_of(Text origin_id) {
  unsigned hash = 2166136261u;
  for (size_t index = 0; index < origin_id.length; index += 1) {
    hash = (hash ^ (unsigned char)origin_id.start[index]) * 16777619u;
  }
  return &products[hash % BUCKETS];
}

static Product *find_product(Text origin_id) {
  for (Product *product = *bucket_of(origin_id); product != NULL; product = product->next) {
    int is_same = product->origin_id.length == origin_id.length &&
                  memcmp(product->origin_id.start, origin_id.start, origin_id.length) == 0;
    if (is_same) return product;
  }
  return NULL;
}

static Text copy_of(const char *start, size_t length) {
  char *bytes = malloc(length + 1);
  if (bytes == NULL) abort();
  memcpy(bytes, start, length);
  return (Text){bytes, length};
}

/* ---- replies ---- */

static Buffer content;

static void answer(Connection *connection, const char *status) {
  char head[160];
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                        status, content.length);
  append(&connection->out, head, (size_t)length);
  append(&connection->out, content.bytes, content.length);
}

static void answer_jobs(Connection *connection, Text body) {
  unsigned long entries = 0;
  append_string(&content, "[");
  for (Text rest = body, id; (id = json_string(rest, "\"originId\"", &rest)).length > 0; entries += 1) {
    append_string(&content, entries == 0 ? "{\"jobId\":\"job_" : ",{\"jobId\":\"job_");
    append_number(&content, ++made);
    append_string(&content, "\",\"status\":\"PENDING\",\"entryOriginId\":\"");
    append_text(&content, id);
    append_string(&content, "\",\"successObjectId\":null,\"failureReason\":null,"
                            "\"createdAt\":\"2026-11-20T05:00:00.000Z\",\"startedAt\":null,\"endedAt\":null}");
  }
  append_string(&content, "]");
  if (entries <= ENTRIES_MAXIMUM) {
    stats.entries += entries;
    answer(connection, "201 Created");
    return;
  }
  content.length = 0;
  append_string(&content, "{\"detail\":[]}");
  answer(connection, "422 Unprocessable Entity");
}

/* The product as received, with an id, and its image in the form of replies. */
static void answer_product(Connection *connection, Text body) {
  Text image_rest;
  Text image = json_string(body, "\"imageUrl\"", &image_rest);
  append_string(&content, "{\"id\":\"pr_");
  append_number(&content, ++made);
  append_string(&content, "\",");
  if (image.length == 0) {
    append(&content, body.start + 1, body.length - 1);
  } else {
    const char *key = memmem(body.start, body.length, "\"imageUrl\"", strlen("\"imageUrl\""));
    append(&content, body.start + 1, (size_t)(key - body.start - 1));
    append_string(&content, "\"image\":{\"url\":\"");
    append_text(&content, image);
    append_string(&content, "\"}");
    append_text(&content, image_rest);
  }
  Text origin_id = json_string(body, "\"originId\"", NULL);
  Product *product = malloc(sizeof *product);
  if (product == NULL) abort();
  Product **bucket = bucket_of(origin_id);
  *product = (Product){copy_of(origin_id.start, origin_id.length), copy_of(content.bytes, content.length), *bucket};
  *bucket = product;
  stats.entries += 1;
  answer(connection, "200 OK");
}

/* The created products with the requested originIds; none if the query has no originIds. */
static void answer_products(Connection *connection, Text query) {
  unsigned long count = 0;
  Buffer data = {0};
  for (Text rest = query; count < FIRST_MAXIMUM;) {
    Text name = after(rest, "originIds", '=', &rest);
    if (name.start == NULL) break;
    const char *end = memchr(rest.start, '&', rest.length);
    Text id = {rest.start, end == NULL ? rest.length : (size_t)(end - rest.start)};
    Product *product = find_product(id);
    if (product == NULL) continue;
    if (count > 0) append_string(&data, ",");
    append_text(&data, product->json);
    count += 1;
  }
  append_string(&content, "{\"totalCount\":");
  append_number(&content, count);
  append_string(&content, ",\"data\":[");
  if (data.length > 0) append(&content, data.bytes, data.length);
  append_string(&content, "],\"pageInfo\":{\"hasNextPage\":false,\"endCursor\":null}}");
  free(data.bytes);
  answer(connection, "200 OK");
}

/* ---- rewards; number n is for a review written on day n since 1970 ---- */

enum { DAY_SECONDS = 86400 };
static const char *const states[] = {"QUEUED", "SUCCESS", "CANCELLED", "FAILURE"};
static unsigned char *reward_states;

static void append_reward(Buffer *buffer, int number) {
  char text[800], day[16];
  time_t written = (time_t)number * DAY_SECONDS;
  strftime(day, sizeof day, "%Y-%m-%d", gmtime(&written));
  int length = snprintf(text, sizeof text,
                        "{\"id\":\"rw_%d\",\"amount\":500,\"reviewCategory\":\"TEXT\",\"status\":\"%s\","
                        "\"review\":{\"id\":\"rv_%d\",\"createdAt\":\"%sT00:00:00Z\",\"updatedAt\":\"%sT00:00:00Z\"},"
                        "\"order\":{\"id\":\"or_%d\",\"originId\":\"20261101-%d\",\"memberOriginId\":\"m%d\"},"
                        "\"orderItem\":{\"id\":\"oi_%d\",\"originId\":\"20261101-%d-1\"},\"createdAt\":\"%sT00:00:00Z\"}",
                        number, states[reward_states[number]], number, day, day, number, number, number % 999,
                        number, number, day);
  append(buffer, text, (size_t)length);
}

static int number_in(Text query, const char *name, int otherwise) {
  Text rest;
  return after(query, name, '=', &rest).start == NULL ? otherwise : atoi(rest.start);
}

/* The day of a date in a query. */
static int day_in(Text query, const char *name, int otherwise) {
  Text rest;
  struct tm date = {0};
  if (after(query, name, '=', &rest).start == NULL || strptime(rest.start, "%Y-%m-%d", &date) == NULL) return otherwise;
  return (int)(timegm(&date) / DAY_SECONDS);
}

/* A page of rewards on the requested days, in order: all, or only queued ones. */
static void answer_rewards(Connection *connection, Text query) {
  int first = number_in(query, "first", 30), count = 0;
  int number = number_in(query, "after", 0), from = day_in(query, "createdAtStart", 0);
  int until = day_in(query, "createdAtEnd", settings.rewards) + 1;
  int is_of_waiting = query.length > 0 && memmem(query.start, query.length, "status=QUEUED", 13) != NULL;
  if (number < from) number = from;
  if (until > settings.rewards) until = settings.rewards;
  append_string(&content, "{\"totalCount\":");
  append_number(&content, (unsigned long)settings.rewards);
  append_string(&content, ",\"data\":[");
  for (; number < until && count < first; number += 1) {
    if (is_of_waiting && reward_states[number] != 0) continue;
    if (count++ > 0) append_string(&content, ",");
    append_reward(&content, number);
  }
  append_string(&content, number < until ? "],\"pageInfo\":{\"hasNextPage\":true,\"endCursor\":\"" :
                                           "],\"pageInfo\":{\"hasNextPage\":false,\"endCursor\":\"");
  append_number(&content, (unsigned long)number);
  append_string(&content, "\"}}");
  answer(connection, "200 OK");
}

/* Sets the reward at the end of the path to the status in the body. */
static void answer_reward(Connection *connection, const Request *request) {
  Text rest = {NULL, 0};
  after(request->path, "/reward/rw", '_', &rest);
  int number = rest.start == NULL ? -1 : atoi(rest.start);
  if (number < 0 || number >= settings.rewards) {
    append_string(&content, "{\"detail\":\"no such reward\"}");
    answer(connection, "404 Not Found");
    return;
  }
  Text status = json_string(request->body, "\"status\"", NULL);
  for (unsigned char state = 0; state < 4; state += 1) {
    if (is_text(status, states[state])) reward_states[number] = state;
  }
  stats.entries += 1;
  append_reward(&content, number);
  answer(connection, "200 OK");
}

static void answer_text(Connection *connection, const char *text) {
  append_string(&content, text);
  answer(connection, "200 OK");
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void answer_stats(Connection *connection) {
  char text[256];
  double now_seconds = cpu_seconds();
  snprintf(text, sizeof text,
           "{\"requests\":%lu,\"entries\":%lu,\"refused\":%lu,\"mostInFlight\":%lu,\"connections\":%lu,"
           "\"cpuSeconds\":%.6f}",
           stats.requests, stats.entries, stats.refused, stats.most_in_flight, stats.connections,
           now_seconds - stats.cpu_seconds);
  append_string(&content, text);
  memset(&stats, 0, sizeof stats);
  stats.cpu_seconds = now_seconds;
  answer(connection, "200 OK");
}

static void answer_request(Connection *connection, const Request *request) {
  int is_post = is_text(request->method, "POST");
  if (is_post && ends_with(request->path, "/bulk")) answer_jobs(connection, request->body);
  else if (is_post && ends_with(request->path, "/product")) answer_product(connection, request->body);
  else if (ends_with(request->path, "/products")) answer_products(connection, request->query);
  else if (is_text(request->path, "/pay")) answer_text(connection, "{\"outcome\":\"paid\"}");
  else if (is_text(request->path, "/reset")) {
    memset(reward_states, 0, (size_t)settings.rewards);
    answer_text(connection, "{}");
  } else if (ends_with(request->path, "/rewards")) answer_rewards(connection, request->query);
  else if (memmem(request->path.start, request->path.length, "/reward/", strlen("/reward/")) != NULL)
    answer_reward(connection, request);
  else if (ends_with(request->path, "/product-groups")) answer_products(connection, (Text){NULL, 0});
  else {
    append_string(&content, "{\"detail\":\"no such thing\"}");
    answer(connection, "404 Not Found");
  }
}

/* ---- connections ---- */

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static Connection *waiting[65536];
static int waiting_count;

static void listen_for(Connection *connection, unsigned events) {
  struct epoll_event event = {events, {.ptr = connection}};
  epoll_ctl(poll_set, EPOLL_CTL_MOD, connection->socket, &event);
}

static void free_connection(Connection *connection) {
  free(connection->in.bytes);
  free(connection->out.bytes);
  free(connection);
}

static void close_connection(Connection *connection) {
  if (connection->is_closed) return;
  close(connection->socket);
  connection->is_closed = 1;
  if (!connection->is_waiting) free_connection(connection);
}

/* Writes as much as possible, and the rest once the socket is writable. */
static void send_out(Connection *connection) {
  Buffer *out = &connection->out;
  while (connection->sent < out->length) {
    ssize_t written = write(connection->socket, out->bytes + connection->sent, out->length - connection->sent);
    if (written < 0) {
      if (errno == EAGAIN) listen_for(connection, EPOLLIN | EPOLLOUT);
      return;
    }
    connection->sent += (size_t)written;
  }
  out->length = connection->sent = 0;
}

/* Reads the first complete request in `in`; returns its length, or 0 if it is incomplete. */
static size_t read_request(Text in, Request *request) {
  const char *head_end = in.length == 0 ? NULL : memmem(in.start, in.length, "\r\n\r\n", 4);
  if (head_end == NULL) return 0;
  Text head = {in.start, (size_t)(head_end + 2 - in.start)};
  size_t body_length = 0;
  for (const char *line = memchr(head.start, '\n', head.length); line + 1 < head_end; line = strchr(line + 1, '\n')) {
    if (strncasecmp(line + 1, "content-length:", 15) == 0) body_length = strtoul(line + 16, NULL, 10);
  }
  size_t head_length = head.length + 2;
  if (in.length < head_length + body_length) return 0;
  const char *target = memchr(head.start, ' ', head.length) + 1;
  const char *target_end = strpbrk(target, " \r");
  const char *question = memchr(target, '?', (size_t)(target_end - target));
  const char *path_end = question == NULL ? target_end : question;
  request->method = (Text){head.start, (size_t)(target - 1 - head.start)};
  request->path = (Text){target, (size_t)(path_end - target)};
  request->query = (Text){path_end, (size_t)(target_end - path_end)};
  request->body = (Text){in.start + head_length, body_length};
  return head_length + body_length;
}

static double wait_ms(void) {
  if (settings.slow_above == 0 || in_flight <= settings.slow_above) return settings.latency_ms;
  double load = (double)in_flight / settings.slow_above;
  return settings.latency_ms * load * load;
}

/* Answers a request at once or later; returns true if the connection is free for the next one. */
static int serve(Connection *connection, const Request *request) {
  content.length = 0;
  if (is_text(request->path, "/stats")) {
    answer_stats(connection);
    send_out(connection);
    return 1;
  }
  stats.requests += 1;
  if (settings.refuse_above > 0 && in_flight >= settings.refuse_above) {
    stats.refused += 1;
    append_string(&content, "{\"detail\":\"too many requests\"}");
    answer(connection, "429 Too Many Requests");
    send_out(connection);
    return 1;
  }
  answer_request(connection, request);
  in_flight += 1;
  if ((unsigned long)in_flight > stats.most_in_flight) stats.most_in_flight = (unsigned long)in_flight;
  double pause_ms = wait_ms();
  if (pause_ms > 0) {
    connection->due_ms = now_ms() + pause_ms;
    connection->is_waiting = 1;
    waiting[waiting_count++] = connection;
    return 0;
  }
  in_flight -= 1;
  send_out(connection);
  return 1;
}

static void serve_all(Connection *connection) {
  Buffer *in = &connection->in;
  size_t used = 0;
  Request request;
  while (!connection->is_waiting) {
    size_t length = read_request((Text){in->bytes + used, in->length - used}, &request);
    if (length == 0) break;
    used += length;
    serve(connection, &request);
  }
  if (used == 0) return;
  memmove(in->bytes, in->bytes + used, in->length - used);
  in->length -= used;
}

static void receive(Connection *connection) {
  static char bytes[READ_BYTES];
  for (;;) {
    ssize_t count = read(connection->socket, bytes, sizeof bytes);
    if (count > 0) append(&connection->in, bytes, (size_t)count);
    if (count == 0 || (count < 0 && errno != EAGAIN)) {
      close_connection(connection);
      return;
    }
    if (count < (ssize_t)sizeof bytes) break;
  }
  serve_all(connection);
}

/* Sends due replies; returns the milliseconds to the next, or -1. Few wait, so a linear search suffices. */
static int send_due(void) {
  double now = now_ms(), next = -1;
  for (int index = 0; index < waiting_count;) {
    Connection *connection = waiting[index];
    if (connection->due_ms > now) {
      if (next < 0 || connection->due_ms < next) next = connection->due_ms;
      index += 1;
      continue;
    }
    waiting[index] = waiting[--waiting_count];
    in_flight -= 1;
    connection->is_waiting = 0;
    if (connection->is_closed) {
      free_connection(connection);
      continue;
    }
    send_out(connection);
    serve_all(connection);
  }
  return next < 0 ? -1 : (int)(next - now) + 1;
}

static void accept_all(int listener) {
  for (int socket; (socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) abort();
    connection->socket = socket;
    struct epoll_event event = {EPOLLIN, {.ptr = connection}};
    epoll_ctl(poll_set, EPOLL_CTL_ADD, socket, &event);
    stats.connections += 1;
  }
}

static int open_listener(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1024) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
    perror("fast-service");
    exit(1);
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

static void read_settings(int count, char **arguments) {
  for (int index = 1; index + 1 < count; index += 2) {
    if (strcmp(arguments[index], "--latency") == 0) settings.latency_ms = atof(arguments[index + 1]);
    else if (strcmp(arguments[index], "--slow-above") == 0) settings.slow_above = atoi(arguments[index + 1]);
    else if (strcmp(arguments[index], "--refuse-above") == 0) settings.refuse_above = atoi(arguments[index + 1]);
    else if (strcmp(arguments[index], "--rewards") == 0) settings.rewards = atoi(arguments[index + 1]);
    else {
      fprintf(stderr, "fast-service: no such option: %s\n", arguments[index]);
      exit(2);
    }
  }
}

int main(int count, char **arguments) {
  static Connection listening, input;
  /* The closed socket of a vanished client is noticed without the signal. */
  signal(SIGPIPE, SIG_IGN);
  read_settings(count, arguments);
  reward_states = calloc((size_t)settings.rewards + 1, 1);
  if (reward_states == NULL) abort();
  poll_set = epoll_create1(0);
  listening.socket = open_listener();
  struct epoll_event for_listener = {EPOLLIN, {.ptr = &listening}};
  struct epoll_event for_input = {EPOLLIN, {.ptr = &input}};
  epoll_ctl(poll_set, EPOLL_CTL_ADD, listening.socket, &for_listener);
  epoll_ctl(poll_set, EPOLL_CTL_ADD, STDIN_FILENO, &for_input);
  struct epoll_event events[EVENTS];
  for (;;) {
    int ready = epoll_wait(poll_set, events, EVENTS, send_due());
    for (int index = 0; index < ready; index += 1) {
      Connection *connection = events[index].data.ptr;
      if (connection == &input) return 0;
      if (connection == &listening) {
        accept_all(listening.socket);
        continue;
      }
      if (events[index].events & EPOLLOUT) {
        listen_for(connection, EPOLLIN);
        send_out(connection);
      }
      if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(connection);
    }
  }
}

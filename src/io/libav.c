/* Everything that FFmpeg's libraries read. The file itself is opened and read by us, so that no path is taken
 * for a protocol and no playlist makes the libraries open other files or the network. */
#include "io/container.h"
#include "io/ffv1.h"
#include "io/source_internal.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRANSFER_BUFFER 65536 /* bytes the demuxer asks for at a time */

typedef struct ty_libav {
    ty_source source;
    ty_file *file;
    AVIOContext *io;
    AVFormatContext *demuxer;
    AVCodecContext *decoder;
    AVStream *stream;
    AVPacket *packet;
    AVFrame *frame;
    bool frame_ready; /* `frame` is the next one; the first is decoded when the file is opened */
    int damage;       /* code of a failure after the frames that the decoder still holds; 0: none */
    ty_ffv1_checker ffv1;
    ty_error failure; /* of our own reads within the libraries' calls */
} ty_libav;

/* ---- Errors ---- */

static ty_read_result fail_frame(ty_libav *libav, const char *what, int code, ty_error *error) {
    char reason[AV_ERROR_MAX_STRING_SIZE] = "unknown error";
    if (libav->failure.status != TALLY_OK) {
        ty_fail(error, libav->failure.status, "%s", libav->failure.text);
        return TY_READ_ERROR;
    }
    av_strerror(code, reason, sizeof reason);
    ty_fail(error, code == AVERROR(ENOMEM) ? TALLY_INTERNAL : TALLY_INPUT, "%s: frame %llu %s: %s",
            libav->file->name, (unsigned long long)libav->source.next_frame, what, reason);
    return TY_READ_ERROR;
}

static tally_status fail_open(const ty_libav *libav, const char *what, int code, ty_error *error) {
    char reason[AV_ERROR_MAX_STRING_SIZE] = "unknown error";
    if (libav->failure.status != TALLY_OK)
        return ty_fail(error, libav->failure.status, "%s", libav->failure.text);
    av_strerror(code, reason, sizeof reason);
    return ty_fail(error, code == AVERROR(ENOMEM) ? TALLY_INTERNAL : TALLY_INPUT, "%s: %s: %s",
                   libav->file->name, what, reason);
}

/* ---- The file, as FFmpeg's libraries see it ---- */

static int read_bytes(void *opaque, uint8_t *to, int bytes) {
    ty_libav *libav = opaque;
    size_t got;
    if (ty_file_read(libav->file, to, (size_t)bytes, &got, &libav->failure) != TALLY_OK)
        return AVERROR(EIO);
    return got > 0 ? (int)got : AVERROR_EOF;
}

static int64_t seek(void *opaque, int64_t offset, int whence) {
    ty_libav *libav = opaque;
    uint64_t size;
    if (ty_file_size(libav->file, &size, &libav->failure) != TALLY_OK)
        return AVERROR(EIO);
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
        return (int64_t)size;
    case SEEK_CUR:
        offset += (int64_t)libav->file->offset;
        break;
    case SEEK_END:
        offset += (int64_t)size;
        break;
    case SEEK_SET:
        break;
    default:
        return AVERROR(EINVAL);
    }
    if (offset < 0)
        return AVERROR(EINVAL);
    ty_file_seek(libav->file, (uint64_t)offset);
    return offset;
}

static int refuse_other_files(AVFormatContext *demuxer, AVIOContext **io, const char *url, int flags,
                              AVDictionary **options) {
    (void)demuxer, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

/* ---- Pixel formats ---- */

static bool is_planar_or_packed_yuv(enum AVPixelFormat pixel_format, const AVPixFmtDescriptor *layout) {
    const uint64_t not_yuv = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_HWACCEL |
                             AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
    return !(layout->flags & not_yuv) && pixel_format != AV_PIX_FMT_XYZ12LE &&
           pixel_format != AV_PIX_FMT_XYZ12BE;
}

static tally_pixel_format chroma_of(const AVPixFmtDescriptor *layout) {
    if (layout->nb_components < 3) /* gray, or gray and alpha */
        return TALLY_PIXEL_FORMAT_400;
    if (layout->log2_chroma_w == 1 && layout->log2_chroma_h == 1)
        return TALLY_PIXEL_FORMAT_420;
    if (layout->log2_chroma_w == 1 && layout->log2_chroma_h == 0)
        return TALLY_PIXEL_FORMAT_422;
    if (layout->log2_chroma_w == 0 && layout->log2_chroma_h == 0)
        return TALLY_PIXEL_FORMAT_444;
    return TALLY_PIXEL_FORMAT_NONE;
}

/* Fills `format`; false if Tally has no equivalent. */
static bool map_format(const AVFrame *frame, tally_format *format) {
    const AVPixFmtDescriptor *layout = av_pix_fmt_desc_get(frame->format);
    if (!layout || !is_planar_or_packed_yuv(frame->format, layout) || frame->width < 1 || frame->height < 1)
        return false;
    *format = (tally_format){.width = (uint32_t)frame->width,
                             .height = (uint32_t)frame->height,
                             .bit_depth = (uint32_t)layout->comp[0].depth,
                             .pixel_format = chroma_of(layout)};
    for (int c = 1; c < 3 && format->pixel_format != TALLY_PIXEL_FORMAT_400; c++)
        if (layout->comp[c].depth != layout->comp[0].depth)
            return false;
    return format->pixel_format != TALLY_PIXEL_FORMAT_NONE && format->bit_depth >= 8 &&
           format->bit_depth <= 16;
}

static tally_status fail_format(const ty_libav *libav, ty_error *error) {
    const char *name = av_get_pix_fmt_name(libav->frame->format);
    return ty_fail(
        error, TALLY_INPUT,
        "%s: pixel format %s is not supported (supported: gray and YUV 4:2:0, 4:2:2, 4:4:4 of 8 to 16 "
        "bits): convert both videos, e.g. with ffmpeg -i IN -pix_fmt yuv444p OUT.y4m",
        libav->file->name, name ? name : "unknown");
}

/* ---- Samples ---- */

/* How to fetch sample x of a row. */
typedef struct ty_fetch {
    int step;  /* bytes from one sample to the next */
    int shift; /* value >> shift */
    int depth;
    bool wide, big_endian;
} ty_fetch;

static void fetch_bytes(uint8_t *to, const uint8_t *from, uint32_t count, ty_fetch fetch) {
    for (uint32_t x = 0; x < count; x++, from += fetch.step)
        to[x] = (uint8_t)(*from >> fetch.shift);
}

/* Narrow samples in wide storage leave `to` narrow: an 8-bit depth has bytes in ty_layout. */
static void fetch_wide(void *to, const uint8_t *from, uint32_t count, ty_fetch fetch) {
    const uint32_t mask = (UINT32_C(1) << fetch.depth) - 1;
    const int low = fetch.big_endian ? 1 : 0;
    uint8_t *const bytes = to;
    uint16_t *const words = to;
    for (uint32_t x = 0; x < count; x++, from += fetch.step) {
        const uint32_t value = ((uint32_t)from[low] | (uint32_t)from[1 - low] << 8) >> fetch.shift & mask;
        if (fetch.depth == 8)
            bytes[x] = (uint8_t)value;
        else
            words[x] = (uint16_t)value;
    }
}

static bool same_in_memory(ty_fetch fetch) {
    const union {
        uint16_t word;
        uint8_t bytes[2];
    } probe = {.word = 1};
    const bool machine_is_big = probe.bytes[0] == 0;
    if (!fetch.wide)
        return fetch.step == 1 && fetch.shift == 0;
    return fetch.step == 2 && fetch.shift == 0 && fetch.depth > 8 && fetch.big_endian == machine_is_big;
}

static void copy_plane(const ty_layout *layout, const AVFrame *frame, uint32_t plane, uint8_t *to) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    const AVComponentDescriptor component = format->comp[plane];
    const bool big_endian = (format->flags & AV_PIX_FMT_FLAG_BE) != 0;
    const ty_fetch fetch = {.step = component.step,
                            .shift = component.shift,
                            .depth = component.depth,
                            .wide = component.depth + component.shift > 8,
                            .big_endian = big_endian};
    const uint32_t columns = layout->stored_width[plane];
    const size_t row_bytes = (size_t)columns * layout->sample_bytes;
    const uint8_t *from = frame->data[component.plane] + component.offset;
    for (uint32_t y = 0; y < layout->stored_height[plane]; y++) {
        if (same_in_memory(fetch))
            memcpy(to, from, row_bytes);
        else if (fetch.wide)
            fetch_wide(to, from, columns, fetch);
        else
            fetch_bytes(to, from, columns, fetch);
        from += frame->linesize[component.plane];
        to += row_bytes;
    }
}

/* ---- Frames ---- */

/* The last byte that the container's index lists, exclusive. Demuxers end quietly where a file was cut. */
static uint64_t indexed_size(AVStream *stream) {
    uint64_t last = 0;
    for (int i = 0; i < avformat_index_get_entries_count(stream); i++) {
        const AVIndexEntry *entry = avformat_index_get_entry(stream, i);
        if (entry->pos >= 0 && (uint64_t)entry->pos + (uint64_t)entry->size > last)
            last = (uint64_t)entry->pos + (uint64_t)entry->size;
    }
    return last;
}

/* After the last frame: whether the file holds all that it says it does. */
static ty_read_result check_whole(ty_libav *libav, ty_error *error) {
    uint64_t size, wanted;
    if (libav->io->error < 0 || libav->failure.status != TALLY_OK)
        return fail_frame(libav, "cannot be read", libav->io->error, error);
    if (!libav->file->regular)
        return TY_READ_END;
    if (ty_file_size(libav->file, &size, error) != TALLY_OK ||
        ty_container_wanted_size(libav->file, size, &wanted, error) != TALLY_OK)
        return TY_READ_ERROR;
    const uint64_t indexed = indexed_size(libav->stream);
    if (indexed > wanted)
        wanted = indexed;
    if (wanted <= size)
        return TY_READ_END;
    ty_fail(error, TALLY_INPUT,
            "%s: the file was cut: after %llu frames it ends at byte %llu, but it says itself that it holds "
            "at least %llu bytes",
            libav->file->name, (unsigned long long)libav->source.next_frame, (unsigned long long)size,
            (unsigned long long)wanted);
    return TY_READ_ERROR;
}

/* 0, or the code of what is wrong with a packet as a whole. */
static int check_packet(ty_libav *libav) {
    const AVPacket *packet = libav->packet;
    if (packet->flags & AV_PKT_FLAG_CORRUPT)
        return AVERROR_INVALIDDATA;
    if (libav->decoder->codec_id == AV_CODEC_ID_FFV1 && libav->decoder->extradata_size > 0 &&
        !ty_ffv1_check(&libav->ffv1, packet->data, (size_t)packet->size))
        return AVERROR_INVALIDDATA;
    return 0;
}

/* Gives the decoder one more packet, or the end. Before damage the decoder first gives out all that it holds:
 * how much that is depends on its number of threads, and how many frames are read from a damaged file must
 * not. */
static ty_read_result feed(ty_libav *libav, ty_error *error) {
    int code = av_read_frame(libav->demuxer, libav->packet);
    if (code >= 0 && libav->packet->stream_index != libav->stream->index) {
        av_packet_unref(libav->packet);
        return TY_READ_FRAME;
    }
    if (code >= 0)
        code = check_packet(libav);
    if (code < 0 && code != AVERROR_EOF)
        libav->damage = code;
    code = avcodec_send_packet(libav->decoder, code < 0 ? NULL : libav->packet);
    av_packet_unref(libav->packet);
    return code < 0 ? fail_frame(libav, "cannot be decoded", code, error) : TY_READ_FRAME;
}

/* Decodes the next frame into libav->frame. */
static ty_read_result decode(ty_libav *libav, ty_error *error) {
    for (;;) {
        const int code = avcodec_receive_frame(libav->decoder, libav->frame);
        if (code == AVERROR_EOF)
            return libav->damage ? fail_frame(libav, "is damaged", libav->damage, error)
                                 : check_whole(libav, error);
        if (code != AVERROR(EAGAIN) && code < 0)
            return fail_frame(libav, "cannot be decoded", code, error);
        if (code >= 0)
            break;
        if (feed(libav, error) == TY_READ_ERROR)
            return TY_READ_ERROR;
    }
    if (libav->frame->decode_error_flags || (libav->frame->flags & AV_FRAME_FLAG_CORRUPT))
        return fail_frame(libav, "is damaged", AVERROR_INVALIDDATA, error);
    return TY_READ_FRAME;
}

static ty_read_result check_same_format(ty_libav *libav, ty_error *error) {
    const tally_format *first = &libav->source.info.format;
    const char *const name = av_get_pix_fmt_name(libav->frame->format);
    tally_format format;
    if (map_format(libav->frame, &format) && ty_format_equal(&format, first))
        return TY_READ_FRAME;
    ty_fail(error, TALLY_INPUT, "%s: frame %llu is %dx%d %s, but the video began as %ux%u %s with %u bits",
            libav->file->name, (unsigned long long)libav->source.next_frame, libav->frame->width,
            libav->frame->height, name ? name : "of unknown format", first->width, first->height,
            ty_pixel_format_name(first->pixel_format), first->bit_depth);
    return TY_READ_ERROR;
}

/* Puts the next frame into libav->frame. */
static ty_read_result advance(ty_libav *libav, ty_error *error) {
    if (libav->frame_ready) {
        libav->frame_ready = false;
        return TY_READ_FRAME;
    }
    const ty_read_result next = decode(libav, error);
    return next == TY_READ_FRAME ? check_same_format(libav, error) : next;
}

static ty_read_result read_frame(ty_source *source, void *const planes[3], const void *lent[3],
                                 ty_error *error) {
    (void)lent; /* decoded rows are padded: there is nothing to lend */
    ty_libav *libav = (ty_libav *)source;
    const ty_read_result next = advance(libav, error);
    if (next == TY_READ_FRAME)
        for (uint32_t p = 0; p < source->layout.planes; p++)
            copy_plane(&source->layout, libav->frame, p, planes[p]);
    av_frame_unref(libav->frame);
    return next;
}

static ty_read_result skip_frame(ty_source *source, ty_error *error) {
    ty_libav *libav = (ty_libav *)source;
    const ty_read_result next = advance(libav, error);
    av_frame_unref(libav->frame);
    return next;
}

/* ---- Opening and closing ---- */

static void close_libav(ty_source *source) {
    ty_libav *libav = (ty_libav *)source;
    av_frame_free(&libav->frame);
    av_packet_free(&libav->packet);
    avcodec_free_context(&libav->decoder);
    avformat_close_input(&libav->demuxer);
    if (libav->io)
        av_freep(&libav->io->buffer);
    avio_context_free(&libav->io);
    ty_file_close(libav->file);
    free(libav);
}

static const ty_source_functions functions = {.read = read_frame, .skip = skip_frame, .close = close_libav};

static tally_status open_io(ty_libav *libav, ty_error *error) {
    uint8_t *buffer = av_malloc(TRANSFER_BUFFER);
    if (buffer)
        libav->io = avio_alloc_context(buffer, TRANSFER_BUFFER, 0, libav, read_bytes, NULL,
                                       libav->file->regular ? seek : NULL);
    if (!libav->io) {
        av_free(buffer);
        return ty_fail_memory(error, "FFmpeg input");
    }
    return TALLY_OK;
}

static tally_status open_demuxer(ty_libav *libav, ty_error *error) {
    libav->demuxer = avformat_alloc_context();
    if (!libav->demuxer)
        return ty_fail_memory(error, "FFmpeg demuxer");
    libav->demuxer->pb = libav->io;
    libav->demuxer->io_open = refuse_other_files;
    libav->demuxer->protocol_whitelist = av_strdup("none"); /* for demuxers within demuxers */
    libav->demuxer->error_recognition = AV_EF_CRCCHECK;
    if (!libav->demuxer->protocol_whitelist)
        return ty_fail_memory(error, "FFmpeg demuxer");
    /* The name only helps to guess the format. It frees the demuxer on failure. */
    int code = avformat_open_input(&libav->demuxer, libav->file->name, NULL, NULL);
    if (code < 0)
        return fail_open(libav, "is neither y4m nor a video that FFmpeg's libraries can open", code, error);
    code = avformat_find_stream_info(libav->demuxer, NULL);
    return code < 0 ? fail_open(libav, "FFmpeg's libraries find no streams", code, error) : TALLY_OK;
}

static tally_status choose_stream(ty_libav *libav, ty_error *error) {
    for (unsigned i = 0; i < libav->demuxer->nb_streams; i++) {
        AVStream *stream = libav->demuxer->streams[i];
        stream->discard = AVDISCARD_ALL;
        if (libav->stream || stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO ||
            (stream->disposition & AV_DISPOSITION_ATTACHED_PIC))
            continue;
        stream->discard = AVDISCARD_DEFAULT;
        libav->stream = stream;
    }
    if (!libav->stream)
        return ty_fail(error, TALLY_INPUT, "%s: holds no video (FFmpeg sees format %s with %u streams)",
                       libav->file->name, libav->demuxer->iformat->name, libav->demuxer->nb_streams);
    return TALLY_OK;
}

static tally_status open_decoder(ty_libav *libav, ty_error *error) {
    const AVCodecParameters *parameters = libav->stream->codecpar;
    const AVCodec *codec = avcodec_find_decoder(parameters->codec_id);
    if (!codec)
        return ty_fail(error, TALLY_INPUT, "%s: FFmpeg's libraries have no decoder for %s", libav->file->name,
                       avcodec_get_name(parameters->codec_id));
    libav->decoder = avcodec_alloc_context3(codec);
    libav->packet = av_packet_alloc();
    libav->frame = av_frame_alloc();
    if (!libav->decoder || !libav->packet || !libav->frame)
        return ty_fail_memory(error, "FFmpeg decoder");
    int code = avcodec_parameters_to_context(libav->decoder, parameters);
    if (code < 0)
        return fail_open(libav, "the decoder refuses the stream's parameters", code, error);
    libav->decoder->pkt_timebase = libav->stream->time_base;
    libav->decoder->thread_count = 0; /* as many as there are processors */
    libav->decoder->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
    libav->decoder->err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE;
    /* Damaged frames are to be seen, not dropped; and cropping is to be exact, not rounded to aligned
     * addresses. */
    libav->decoder->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT | AV_CODEC_FLAG_UNALIGNED;
    code = avcodec_open2(libav->decoder, codec, NULL);
    return code < 0 ? fail_open(libav, "the decoder cannot be opened", code, error) : TALLY_OK;
}

static const char *interlacing_name(const ty_libav *libav) {
    switch (libav->stream->codecpar->field_order) {
    case AV_FIELD_PROGRESSIVE:
        return "progressive";
    case AV_FIELD_TT:
    case AV_FIELD_TB:
        return "top first";
    case AV_FIELD_BB:
    case AV_FIELD_BT:
        return "bottom first";
    default:
        return "";
    }
}

static const char *range_name(const AVFrame *frame) {
    const AVPixFmtDescriptor *layout = av_pix_fmt_desc_get(frame->format);
    if (frame->color_range == AVCOL_RANGE_JPEG || strncmp(layout->name, "yuvj", 4) == 0)
        return "full";
    return frame->color_range == AVCOL_RANGE_MPEG ? "limited" : "";
}

static void describe(ty_libav *libav) {
    ty_source_tags *tags = &libav->source.info.tags;
    const AVFrame *frame = libav->frame;
    const char *transfer = frame->color_trc != AVCOL_TRC_UNSPECIFIED && frame->color_trc != AVCOL_TRC_RESERVED
                               ? av_color_transfer_name(frame->color_trc)
                               : NULL;
    snprintf(tags->range, sizeof tags->range, "%s", range_name(frame));
    snprintf(tags->transfer, sizeof tags->transfer, "%s", transfer ? transfer : "");
    snprintf(tags->interlacing, sizeof tags->interlacing, "%s", interlacing_name(libav));
    if (libav->stream->nb_frames > 0)
        libav->source.info.frames = (uint64_t)libav->stream->nb_frames;
}

/* The container may be silent or wrong about the format: the first frame decides. */
static tally_status decode_first(ty_libav *libav, ty_error *error) {
    tally_format format;
    const ty_read_result first = decode(libav, error);
    if (first == TY_READ_ERROR)
        return error->status;
    if (first == TY_READ_END)
        return ty_fail(error, TALLY_INPUT, "%s: holds no frames", libav->file->name);
    if (!map_format(libav->frame, &format))
        return fail_format(libav, error);
    if (ty_source_set_format(&libav->source, &format, libav->file->name, error) != TALLY_OK)
        return error->status;
    libav->frame_ready = true;
    describe(libav);
    return TALLY_OK;
}

tally_status ty_libav_open(ty_file *file, ty_source **source, ty_error *error) {
    ty_libav *libav = calloc(1, sizeof *libav);
    if (!libav) {
        ty_file_close(file);
        return ty_fail_memory(error, "source");
    }
    libav->source.functions = &functions;
    libav->file = file;
    av_log_set_level(AV_LOG_QUIET); /* for the whole process; what goes wrong is in our own errors */
    if (open_io(libav, error) != TALLY_OK || open_demuxer(libav, error) != TALLY_OK ||
        choose_stream(libav, error) != TALLY_OK || open_decoder(libav, error) != TALLY_OK ||
        decode_first(libav, error) != TALLY_OK) {
        close_libav(&libav->source);
        return error->status;
    }
    *source = &libav->source;
    return TALLY_OK;
}
